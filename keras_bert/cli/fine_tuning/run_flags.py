"""Flags and main function for the fine-tuning programs."""

from absl import logging

from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.cli import shared_flags
from keras_bert.cli.field_flags import FieldFlags
from keras_bert.files.atomic import disk_full_names_file
from keras_bert.files.manifest import fingerprint
from keras_bert.files.outputs import check_directory
from keras_bert.files.outputs import finish_directory
from keras_bert.files.resumable import resumable_directory
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.tasks.training.recipe import paper_grid
from keras_bert.tasks.training.recipe import with_seeds

_SEED = 12345  # The default seed of all programs.


class RunFlags:
    """Flags of a fine-tuning program, with a `run` method that executes it.

    Args:
        program: `Program`.
    """

    def __init__(self, program):
        self._program = program
        self._init_dir = program.required(
            "init_dir",
            "Checkpoint to fine-tune: a directory or a name on the Hub.",
        )
        self._output_dir = program.required(
            "output_dir", "Output directory; must be new or empty."
        )
        self._max_seq_length = shared_flags.max_seq_length(
            program,
            "the training value, or else 128 (384 for SQuAD), but at most the "
            "model's limit",
        )
        self._do_lower_case = shared_flags.do_lower_case(program)
        self._precision = shared_flags.precision(program)
        self._recipe = FieldFlags(program, Recipe, seed=_SEED)
        self._teacher_dir = program.optional(
            "teacher_dir",
            "Teacher for distillation: directory or Hub name of a model "
            "fine-tuned for the task.",
        )
        self._num_layers = program.integer(
            "num_layers",
            None,
            "Number of layers of a student, chosen from --init_dir at even "
            "intervals.",
            lower_bound=1,
        )
        program.group("Students", [self._teacher_dir, self._num_layers])
        self._seeds = program.integer(
            "seeds",
            1,
            "Number of seeds to train with, starting at --random_seed.",
            lower_bound=1,
        )
        self._search = program.enum(
            "search", "none", ["none", "paper"], "Hyperparameter search."
        )
        self._overwrite = shared_flags.overwrite(program)

    def recipes(self):
        """Return a list of the `Recipe`s to try.

        Raises:
            ValueError: a value is out of range, or a flag has no effect.
        """
        recipes = [self._recipe.values()]
        if not self._teacher_dir.value:
            self._reject("requires --teacher_dir", "label_share", "temperature")
        if self._search.value == "paper":
            self._reject(
                "is chosen by --search=paper",
                "batch_size",
                "learning_rate",
                "epochs",
            )
            recipes = paper_grid(recipes[0])
        return [
            x
            for recipe in recipes
            for x in with_seeds(recipe, self._seeds.value)
        ]

    def reject_training(self, reason):
        """Raise ValueError if a training flag is given."""
        command_line.reject(
            reason,
            self._seeds,
            self._search,
            self._teacher_dir,
            self._num_layers,
        )

    def _reject(self, reason, *fields):
        holders = [self._recipe.holders[field] for field in fields]
        command_line.reject(reason, *holders)

    def run(self, inputs, read, make):
        """Train, evaluate and write `--output_dir` atomically.

        Args:
            inputs: list of str or None, the files that are read.
            read: function with the keyword `seed` that returns `Splits`.
            make: function that takes `Splits` and a dict of arguments of
                `from_pretrained`, and returns a `FineTuningRun`.

        Raises:
            ValueError: a flag or a file is invalid, or an interrupted run had
                different flags or inputs.
        """
        recipes, output = self.recipes(), self._output_dir.value
        models = [self._init_dir.value, self._teacher_dir.value]
        models = [*filter(None, models)]
        paths = [*models, *filter(None, inputs)]
        for directory in models:
            check_input(directory)
        check_directory(output, paths, self._overwrite.value)
        arguments = {
            "directory": self._init_dir.value,
            "seq_length": self._max_seq_length.value,
            "lowercase": self._do_lower_case.value,
        }
        command_line.import_quietly("keras")
        shared_flags.set_operation_threads(recipes[0].parallel_parts)
        run = make(read(seed=recipes[0].seed), arguments)
        self._perform(run, recipes, paths)

    def _perform(self, run, recipes, paths):
        # Import late, so that --help is fast.
        import keras

        from keras_bert.cli.fine_tuning.search import FINISHED
        from keras_bert.optimizers.precision import dtype_policy

        policy = dtype_policy(self._precision.value)
        keras.config.set_dtype_policy(policy)
        values = self._program.values()
        for holder in (self._output_dir, self._overwrite):
            values.pop(holder.name, None)
        context = {
            "flags": values,
            "inputs": {str(x): fingerprint(x) for x in paths},
            "policy": policy,
        }
        output, overwrite = self._output_dir.value, self._overwrite.value
        unfinished = f"{output.rstrip('/')}.unfinished"
        with (
            resumable_directory(
                unfinished, context, FINISHED, overwrite
            ) as work,
            disk_full_names_file(work),
        ):
            scores = run.perform(
                recipes, work, self._teacher_dir.value, self._num_layers.value
            )
            finish_directory(work, output, context)
        for split, values in scores.items():
            logging.info("%s: %s", split, values)
