"""The batches of a run, from its record files."""

from keras_bert.data.batches.dynamic import dynamic_pretraining_dataset
from keras_bert.data.batches.static import endless_pretraining_dataset
from keras_bert.data.batches.static import padded_batches
from keras_bert.data.batches.static import pretraining_dataset
from keras_bert.data.records.corruption import corruption_names_file


class RunBatches:
    """The records of a run as batches, for training and for evaluation.

    Args:
        plan: `PretrainingPlan`.
        vocabulary: that of the tokenizer.
        vocab_size: int, rows of the model's table.

    Raises:
        ValueError: the first record of a file does not fit, or the files
            hold less than a batch.
    """

    def __init__(self, plan, vocabulary, vocab_size):
        self._plan = plan
        self._vocabulary = vocabulary
        recipe = plan.recipe
        self._view = plan.objective.view
        self._sizes = (
            recipe.max_seq_length,
            recipe.max_predictions_per_seq,
            vocab_size,
        )
        self._masking = {
            "mask_id": vocabulary.id_of(vocabulary.roles["mask"]),
            "pad_id": vocabulary.id_of(vocabulary.roles["pad"]),
            "sep_id": vocabulary.id_of(vocabulary.roles["sep"]),
            "seed": recipe.random_seed,
            "masked_lm_prob": recipe.masked_lm_prob,
            "do_whole_word_mask": recipe.do_whole_word_mask,
            "ngram": recipe.ngram,
            "substitutes": plan.objective.substitutes,
            "mask_special_tokens": recipe.mask_special_tokens,
        }
        if plan.is_packed:
            cls_id = vocabulary.id_of(vocabulary.roles["cls"])
            self._masking["cls_id"] = cls_id
        with self.corruption_names_file():
            self.training(0)
            self.evaluation()

    def corruption_names_file(self):
        """A context in which an unusable record is an error with its file."""
        return corruption_names_file(
            self._plan.training_paths + self._plan.evaluation_paths,
            self._vocabulary,
            self._plan.vocab_file,
        )

    def training(self, first_batch):
        """The batches that follow so many others, without end."""
        recipe, paths = self._plan.recipe, self._plan.training_paths
        sizes = recipe.train_batch_size, *self._sizes
        if recipe.masking == "dynamic":
            batches = dynamic_pretraining_dataset(
                paths, *sizes, **self._masking, first_batch=first_batch
            )
        else:
            batches = endless_pretraining_dataset(
                paths, *sizes, recipe.random_seed, first_batch
            )
        return self._view(batches)

    def evaluation(self):
        """One pass over the held-out records, or None."""
        recipe, paths = self._plan.recipe, self._plan.evaluation_paths
        if not paths:
            return None
        sizes = recipe.eval_batch_size, *self._sizes
        if recipe.masking == "dynamic":
            batches = dynamic_pretraining_dataset(
                paths, *sizes, **self._masking, epoch=0
            )
        else:
            batches = pretraining_dataset(paths, *sizes)
        batches = padded_batches(batches, recipe.eval_batch_size)
        return self._view(batches)
