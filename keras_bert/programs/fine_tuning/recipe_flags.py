"""The flags that say how a model is fine-tuned, the same in every program."""

import dataclasses

from absl import flags

from keras_bert.tasks.fine_tuning.recipe import Recipe

flags.disclaim_key_flags()  # They are the flags of the program.

# What is called otherwise in google-research/bert or in the other programs.
_FLAGS = {
    "epochs": "num_train_epochs",
    "batch_size": "train_batch_size",
    "warmup": "warmup_proportion",
    "seed": "random_seed",
}
_SEED = 12345  # As in all programs.
_MEANINGS = {
    "epochs": "Passes over the examples.",
    "batch_size": "Examples in a training step.",
    "learning_rate": "Its peak.",
    "warmup": "Share of the steps in which the rate rises.",
    "weight_decay": "Of matrices, times the learning rate.",
    "layer_decay": "By which the rate of each layer is smaller than of the one "
    "above.",
    "num_frozen_layers": "Lowest blocks that do not learn, with the "
    "embeddings; -1: all.",
    "num_reset_layers": "Highest blocks that start random.",
    "label_smoothing": "Share of the targets that is spread evenly.",
    "patience": "Epochs without a better result before an early end.",
    "seed": "Of the head, the dropout and the order.",
    "parallel_parts": "Parts of a batch that are computed side by side, with "
    "one thread each; on a processor one for each core is fastest.",
}


class RecipeFlags:
    """Defines the flags, and gives the recipe that they make.

    Args:
        **defaults: fields of `Recipe` where the program has other defaults.
    """

    def __init__(self, **defaults):
        self._holders = {}
        default = Recipe(**{"seed": _SEED, **defaults})
        for field in dataclasses.fields(Recipe):
            is_float = field.type is float
            define = flags.DEFINE_float if is_float else flags.DEFINE_integer
            self._holders[field.name] = define(
                _FLAGS.get(field.name, field.name),
                getattr(default, field.name),
                _MEANINGS[field.name],
            )

    def holder(self, field):
        """Returns what `flags.DEFINE_...` returned for a field of `Recipe`."""
        return self._holders[field]

    def recipe(self):
        """Makes the `Recipe`; a ValueError names the flag that is at fault."""
        values = {name: x.value for name, x in self._holders.items()}
        try:
            return Recipe(**values)
        except ValueError as error:
            text = str(error)
            field = text.split("`")[1]
            name = self._holders[field].name
            text = text.replace(f"`{field}`", f"--{name}")
            raise ValueError(
                text.replace(f"Received: {field}=", f"Received: --{name}=")
            ) from None
