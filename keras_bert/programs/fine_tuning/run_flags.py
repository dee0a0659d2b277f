"""The flags that all programs share that fine-tune."""

import os

from absl import flags
from absl import logging

from keras_bert import artifacts
from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.programs.field_flags import FieldFlags
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.recipe import paper_grid
from keras_bert.tasks.fine_tuning.recipe import with_seeds
from keras_bert.training import choices

flags.disclaim_key_flags()  # They are the flags of the program.

_SEED = 12345  # As in all programs.


class RunFlags:
    """Defines the flags, and runs what they say."""

    def __init__(self):
        self.init_dir = flags.DEFINE_string(
            "init_dir",
            None,
            "Checkpoint to begin with: a directory or a name on the Hub.",
            required=True,
        )
        self._output_dir = flags.DEFINE_string(
            "output_dir", None, "Where all goes; new or empty.", required=True
        )
        self._max_seq_length = flags.DEFINE_integer(
            "max_seq_length",
            None,
            "Longest input in tokens; by default as trained, or else 128, of "
            "SQuAD 384, or the model's limit if that is less.",
            lower_bound=3,
        )
        self._do_lower_case = flags.DEFINE_bool(
            "do_lower_case",
            None,
            "Lower-case texts, where no file says whether to.",
        )
        self._precision = flags.DEFINE_enum(
            "precision",
            "auto",
            choices.PRECISIONS,
            "Of the matrix products; auto is mixed_bfloat16 where the "
            "hardware has it.",
        )
        self._recipe = FieldFlags(Recipe, seed=_SEED)
        self._teacher_dir = flags.DEFINE_string(
            "teacher_dir",
            None,
            "Model that is fine-tuned for the task, a directory or a name on "
            "the Hub, to learn from besides the labels.",
        )
        self._num_layers = flags.DEFINE_integer(
            "num_layers",
            None,
            "Begin with so many layers of --init_dir only, spread evenly.",
            lower_bound=1,
        )
        command_line.group("Students", [self._teacher_dir, self._num_layers])
        self._seeds = flags.DEFINE_integer(
            "seeds",
            1,
            "Seeds to train with, from --random_seed on.",
            lower_bound=1,
        )
        self._search = flags.DEFINE_enum(
            "search", "none", ["none", "paper"], "Which recipes to try."
        )
        self._overwrite = flags.DEFINE_bool(
            "overwrite", False, "Replace what an earlier run has written."
        )

    def recipes(self):
        """Lists the recipes to try.

        Raises:
            ValueError: a value is out of range, or is what the search tries.
        """
        recipes = [self._recipe.values()]
        if not self._teacher_dir.value:
            for field in ("label_share", "temperature"):
                holder = self._recipe.holders[field]
                command_line.refuse(holder, "is for --teacher_dir")
        if self._search.value == "paper":
            for field in ("batch_size", "learning_rate", "epochs"):
                holder = self._recipe.holders[field]
                command_line.refuse(holder, "is what --search tries")
            recipes = paper_grid(recipes[0])
        return [x for recipe in recipes for x in with_seeds(recipe, self.seeds)]

    def set_threads(self):
        """Gives each operation one thread, if batches are divided in parts.

        It must come before TensorFlow computes anything.
        """
        if self._recipe.holders["parallel_parts"].value > 1:
            import tensorflow as tf

            tf.config.threading.set_intra_op_parallelism_threads(1)

    def tell_of_cores(self):
        """Logs which `parallel_parts` is fastest here, if nothing was chosen.

        Were it the default, dropout would differ from machine to machine.
        """
        import tensorflow as tf

        parts, num_cores = self._recipe.holders["parallel_parts"], _num_cores()
        has_gpu = bool(tf.config.list_physical_devices("GPU"))
        if num_cores > 1 and not parts.present and not has_gpu:
            logging.info(
                "On %d cores --%s=%d trains faster, with other random numbers "
                "in dropout.",
                num_cores,
                parts.name,
                num_cores,
            )

    @property
    def seeds(self):
        """The number of seeds that each recipe is tried with, int."""
        return self._seeds.value

    def refuse_training(self, reason):
        """Raises ValueError if a flag was given that only training has."""
        for holder in (
            *(self._seeds, self._search),
            *(self._teacher_dir, self._num_layers),
        ):
            command_line.refuse(holder, reason)

    def check_places(self, inputs):
        """Raises ValueError unless all may be read and written.

        Args:
            inputs: list of str, the files that are read, which may be None.
        """
        check_input(self.init_dir.value)
        if self._teacher_dir.value:
            check_input(self._teacher_dir.value)
        artifacts.check_output_directory(
            self._output_dir.value, self._paths(inputs), self._overwrite.value
        )
        self._unfinished()  # It must be ours.

    def _paths(self, inputs):
        """Lists all that is read."""
        models = (self.init_dir.value, self._teacher_dir.value)
        return [*filter(None, (*models, *inputs))]

    def _unfinished(self):
        return artifacts.Unfinished(
            f"{self._output_dir.value.rstrip('/')}.unfinished"
        )

    def arguments(self):
        """Makes the arguments of a task's `from_pretrained`, a dict."""
        return {
            "directory": self.init_dir.value,
            "seq_length": self._max_seq_length.value,
            "lowercase": self._do_lower_case.value,
        }

    def perform(self, run, inputs):
        """Trains, answers and writes; the directory gets its name at the end.

        Args:
            run: `FineTuningRun`.
            inputs: list of str, as `check_places` takes them.

        Raises:
            ValueError: a run was killed that had other flags or inputs.
        """
        # Imported late, so that the manual is there at once.
        import keras

        from keras_bert.programs.fine_tuning.search import FINISHED
        from keras_bert.training.precision import dtype_policy

        policy = dtype_policy(self._precision.value)
        keras.config.set_dtype_policy(policy)
        if run.splits.train is not None:
            self.tell_of_cores()
        about = {**self._about(inputs), "policy": policy}
        with (
            self._unfinished() as unfinished,
            artifacts.named_when_full(unfinished.place),
        ):
            unfinished.begin(about, FINISHED, self._overwrite.value)
            scores = run.perform(
                self.recipes(),
                unfinished.place,
                self._teacher_dir.value,
                self._num_layers.value,
            )
            unfinished.become(self._output_dir.value, about)
        for split, values in scores.items():
            logging.info("%s: %s", split, values)

    def _about(self, inputs):
        """Describes all that a run depends on, a dict for JSON."""
        values = command_line.own_flags()
        for holder in (self._output_dir, self._overwrite):
            values.pop(holder.name, None)
        paths = self._paths(inputs)
        return {
            "flags": values,
            "inputs": {str(x): artifacts.fingerprint(x) for x in paths},
        }


def _num_cores():
    """Counts the cores for this process, or on macOS all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()
