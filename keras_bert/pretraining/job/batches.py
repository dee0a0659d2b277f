"""Training and evaluation batches of a run."""

from keras_bert.pretraining.batches import static
from keras_bert.pretraining.batches.dynamic import MaskingOptions
from keras_bert.pretraining.batches.dynamic import dynamic_dataset
from keras_bert.pretraining.records.corruption import corruption_names_file


class RunBatches:
    """Training and evaluation batches of a run.

    Args:
        plan: `PretrainingPlan`.
        vocabulary: vocabulary of the tokenizer.
        vocab_size: int, number of rows in the model's word embeddings.

    Raises:
        ValueError: the first record of a file is invalid, or the files contain
            less than one batch.
    """

    def __init__(self, plan, vocabulary, vocab_size):
        self._plan = plan
        self._vocabulary = vocabulary
        recipe = plan.recipe
        self._sizes = (
            recipe.max_seq_length,
            recipe.max_predictions_per_seq,
            vocab_size,
        )
        roles = ["mask", "pad", "sep"] + ["cls"] * plan.is_packed
        options = (
            "masked_lm_prob",
            "do_whole_word_mask",
            "ngram",
            "mask_special_tokens",
        )
        self._masking = MaskingOptions(
            **{f"{x}_id": vocabulary.id_of(vocabulary.roles[x]) for x in roles},
            **plan.objective.masking
            | {name: getattr(recipe, name) for name in options},
        )
        with self.corruption_names_file():
            self.training(0)
            self.evaluation()

    def corruption_names_file(self):
        """Return a context manager that adds the file to record errors."""
        return corruption_names_file(
            self._plan.training_paths + self._plan.evaluation_paths,
            self._vocabulary,
            self._plan.vocab_file,
        )

    def training(self, first_batch):
        """Return the endless training dataset, starting at `first_batch`."""
        recipe, paths = self._plan.recipe, self._plan.training_paths
        sizes = recipe.train_batch_size, *self._sizes
        if recipe.masking == "dynamic":
            batches = dynamic_dataset(
                paths,
                *sizes,
                self._masking,
                recipe.random_seed,
                first_batch=first_batch,
            )
        else:
            batches = static.endless_dataset(
                paths, *sizes, recipe.random_seed, first_batch
            )
        return self._plan.objective.view(batches)

    def evaluation(self):
        """Return the evaluation batches, or None without evaluation files."""
        recipe, paths = self._plan.recipe, self._plan.evaluation_paths
        if not paths:
            return None
        sizes = recipe.eval_batch_size, *self._sizes
        if recipe.masking == "dynamic":
            batches = dynamic_dataset(
                paths, *sizes, self._masking, recipe.random_seed, epoch=0
            )
        else:
            batches = static.dataset(paths, *sizes)
        batches = static.padded_batches(batches, recipe.eval_batch_size)
        return self._plan.objective.view(batches)
