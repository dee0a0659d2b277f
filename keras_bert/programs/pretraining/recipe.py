"""The recipe of a pre-training, under the names of the program's flags."""

import dataclasses

from keras_bert.training.objectives import PUBLISHED
from keras_bert.training.objectives import objective_named
from keras_bert.training.run_options import RunOptions
from keras_bert.training.run_options import check_least
from keras_bert.training.run_options import check_schedule

_LEAST = {
    "train_batch_size": 1,
    "eval_batch_size": 1,
    "gradient_accumulation_steps": 1,
}


@dataclasses.dataclass(frozen=True)
class PretrainingRecipe:
    """All settings of a run.

    A default of None stands for the value in the manifests of the records,
    or else for the default of google-research/bert.

    Args:
        input_file, eval_file: lists of str, record files, paths and globs.
        output_dir: str.
        bert_config_file, vocab_file: str, of a fresh model.
        init_checkpoint: str, the directory to go on from instead.
        allow_missing: list of str, parts that start random where
            `init_checkpoint` lacks them.
        do_lower_case: bool, how the records were made.
        max_seq_length, max_predictions_per_seq: int, as the records.
        masking: "static" or "dynamic", as the records.
        masked_lm_prob, do_whole_word_mask, ngram: float, bool and int, of
            dynamic masks.
        objective: str, the name of one in `keras_bert.training.objectives`.
        optimizer, learning_rate_decay, precision, strategy, on_nan: str, one
            of those in `keras_bert.training.choices`.
        train_batch_size, eval_batch_size: int, on all devices.
        gradient_accumulation_steps: int, pieces of a batch.
        learning_rate: float, its peak.
        beta_2: float, of the running mean of squared gradients.
        num_train_steps, num_warmup_steps: int, steps of the optimizer.
        steps_per_execution: int, steps in one call of the graph.
        log_steps, eval_steps, save_checkpoints_steps: int, steps between
            points of the curve, evaluations and checkpoints.
        keep_checkpoint_max: int, how many checkpoints are kept.
        jit: bool, compile the step with XLA.
        allow_changed_flags: bool, go on with a run under other settings.
        random_seed: int.

    Raises:
        ValueError: a number is out of range, or no objective has the name.
    """

    input_file: list
    output_dir: str
    eval_file: list | None = None
    bert_config_file: str | None = None
    vocab_file: str | None = None
    init_checkpoint: str | None = None
    allow_missing: tuple = ()
    do_lower_case: bool | None = None
    max_seq_length: int | None = None
    max_predictions_per_seq: int | None = None
    masking: str | None = None
    masked_lm_prob: float | None = None
    do_whole_word_mask: bool | None = None
    ngram: int | None = None
    objective: str = PUBLISHED
    optimizer: str = "adamw"
    beta_2: float = 0.999
    learning_rate: float = 1e-4
    learning_rate_decay: str = "linear"
    precision: str = "auto"
    strategy: str = "one_device"
    on_nan: str = "stop"
    train_batch_size: int = 32
    eval_batch_size: int = 64
    gradient_accumulation_steps: int = 1
    num_train_steps: int = 100_000
    num_warmup_steps: int = 10_000
    steps_per_execution: int = 1
    log_steps: int = 25
    eval_steps: int = 0
    save_checkpoints_steps: int = 1000
    keep_checkpoint_max: int = 2
    jit: bool = False
    allow_changed_flags: bool = False
    random_seed: int = 12345

    def __post_init__(self):
        check_least(self, _LEAST)
        if not 0 <= self.beta_2 < 1:
            raise ValueError(
                "`beta_2` must be at least 0 and below 1. "
                f"Received: beta_2={self.beta_2}."
            )
        objective_named(self.objective)
        self.run_options()
        check_schedule(
            self.learning_rate, self.num_train_steps, self.num_warmup_steps
        )

    def run_options(self, **measured):
        """The `RunOptions`, with the `measured` ones that have no flag."""
        return RunOptions(
            num_train_steps=self.num_train_steps,
            log_steps=self.log_steps,
            eval_steps=self.eval_steps,
            save_steps=self.save_checkpoints_steps,
            keep_states=self.keep_checkpoint_max,
            steps_per_execution=self.steps_per_execution,
            on_nan=self.on_nan,
            sources=",".join(self.input_file),
            **measured,
        )
