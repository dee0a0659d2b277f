"""The flags that say how a model is fine-tuned, the same in every program."""

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


class RecipeFlags:
    """Defines the flags, and gives the recipe that they make.

    Args:
        **defaults: fields of `Recipe` where the program has other defaults.
    """

    def __init__(self, **defaults):
        self._holders = {}
        self._default = Recipe(**{"seed": _SEED, **defaults})
        self._integer("epochs", "Passes over the examples.")
        self._integer("batch_size", "Examples in a training step.")
        self._float("learning_rate", "Its peak.")
        self._float("warmup", "Share of the steps in which the rate rises.")
        self._float("weight_decay", "Of matrices, times the learning rate.")
        self._float(
            "layer_decay",
            "By which the rate of each layer is smaller than of the one above.",
        )
        self._integer(
            "num_frozen_layers",
            "Lowest blocks that do not learn, with the embeddings; -1: all.",
        )
        self._integer("num_reset_layers", "Highest blocks that start random.")
        self._float(
            "label_smoothing", "Share of the targets that is spread evenly."
        )
        self._integer(
            "patience", "Epochs without a better result before an early end."
        )
        self._integer("seed", "Of the head, the dropout and the order.")
        self._integer(
            "parallel_parts",
            "Parts of a batch that are computed side by side, with one thread "
            "each; on a processor one for each core is fastest.",
        )

    def _integer(self, field, meaning):
        self._define(flags.DEFINE_integer, field, meaning)

    def _float(self, field, meaning):
        self._define(flags.DEFINE_float, field, meaning)

    def _define(self, define, field, meaning):
        default = getattr(self._default, field)
        name = _FLAGS.get(field, field)
        self._holders[field] = define(name, default, meaning)

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
