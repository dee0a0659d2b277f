"""The recipe of a pre-training, under the names of the program's flags."""

import dataclasses
import typing

from keras_bert import checks
from keras_bert.training import choices
from keras_bert.training.objectives import OBJECTIVES
from keras_bert.training.objectives import PUBLISHED
from keras_bert.training.objectives import objective_named
from keras_bert.training.objectives import settled_fields
from keras_bert.training.run_options import RunOptions


@dataclasses.dataclass(frozen=True)
class PretrainingRecipe(checks.Checked):
    """All settings of a run.

    A default of None stands for the value in the manifests of the records,
    or else for the default of google-research/bert.

    Args:
        input_file: list of str, record files to train on: paths and globs.
        output_dir: str, where the checkpoint goes; new, empty or of a run to
            go on with.
        eval_file: list of str, record files to evaluate on: paths and globs.
        bert_config_file: str, sizes of a fresh model.
        vocab_file: str, the `vocab_file` that the records were made with.
        init_checkpoint: str, directory to train on from, instead of a config
            and a vocabulary.
        allow_missing: list of str, parts (pooler, masked_lm_head, nsp_head,
            sop_head) that start random where `init_checkpoint` lacks them.
        do_lower_case: bool, of word pieces: whether the records are
            lower-cased; needed if neither their manifest nor what stands
            beside the vocabulary tells.
        max_seq_length: int, as the records were made; by default what their
            manifest says, or 128.
        max_predictions_per_seq: int, as the records were made; by default
            what their manifest says, or 20.
        masking: str, as the records were made; by default what their manifest
            says, or static.
        masked_lm_prob: float, share of tokens to mask, with dynamic
            `masking`; by default 0.15.
        do_whole_word_mask: bool, mask all pieces of a word or none, with
            dynamic `masking`.
        ngram: int, mask runs of 1 up to so many words (pieces without
            `do_whole_word_mask`), with dynamic `masking`; by default 1.
        mask_special_tokens: bool, mask [CLS] and [SEP] as any other token,
            with dynamic `masking`.
        objective: str, what is learned: masked tokens and next sentences,
            masked tokens and the order of sentences, only masked tokens,
            every token from those before it, what a teacher says, or which
            tokens a generator has replaced, as ELECTRA or as DeBERTa v3.
        teacher_dir: str, directory of the teacher that is learned from.
        generator_size: float, width of a fresh generator as a share of its
            discriminator's, by default 0.25; of a DeBERTa its depth, by
            default 0.5.
        optimizer: str, see docs/optimizers.md.
        beta_2: float, of the running mean of squared gradients.
        learning_rate: float, its peak.
        learning_rate_decay: str, how the rate falls after the warm-up.
        num_train_steps: int, optimizer steps.
        num_warmup_steps: int, steps in which the rate rises.
        train_batch_size: int, examples in a training step, on all devices.
        random_seed: int, of the weights, the dropout, the data order and the
            masks.
        precision: str, of the matrix products; auto is mixed_bfloat16 where
            the hardware has it.
        strategy: str, where to train.
        gradient_accumulation_steps: int, pieces that a batch is worked
            through in, to save memory.
        steps_per_execution: int, steps in one graph call.
        jit: bool, compile the step with XLA.
        log_steps: int, steps between points of the curve.
        eval_steps: int, steps between evaluations; 0: only before and after.
        eval_batch_size: int, examples in an evaluation step.
        save_checkpoints_steps: int, steps between states to go on from.
        keep_checkpoint_max: int, how many of these states stay.
        on_nan: str, what to do at a gradient of NaN.
        allow_changed_flags: bool, go on with a run under other flags.

    Raises:
        ValueError: a number is out of range, no objective has the name, or
            it does not have a field or lacks one.
    """

    choices: typing.ClassVar = {
        "masking": choices.MASKINGS,
        "objective": OBJECTIVES,
        "optimizer": choices.OPTIMIZERS,
        "learning_rate_decay": choices.DECAYS,
        "precision": choices.PRECISIONS,
        "strategy": choices.STRATEGIES,
        "on_nan": choices.ON_NAN,
    }
    groups: typing.ClassVar = {
        "input_file": "Files",
        "do_lower_case": "Records and masks",
        "objective": "Training",
        "precision": "Computation",
        "log_steps": "The run",
    }

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
    mask_special_tokens: bool | None = None
    objective: str = PUBLISHED
    teacher_dir: str | None = None
    generator_size: float | None = checks.field(None, checks.fraction)
    optimizer: str = "adamw"
    beta_2: float = checks.field(0.999, checks.share)
    learning_rate: float = checks.field(1e-4, checks.positive)
    learning_rate_decay: str = "linear"
    num_train_steps: int = 100_000
    num_warmup_steps: int = 10_000
    train_batch_size: int = checks.field(32, checks.at_least, 1)
    random_seed: int = 12345
    precision: str = "auto"
    strategy: str = "one_device"
    gradient_accumulation_steps: int = checks.field(1, checks.at_least, 1)
    steps_per_execution: int = 1
    jit: bool = False
    log_steps: int = 25
    eval_steps: int = 0
    eval_batch_size: int = checks.field(64, checks.at_least, 1)
    save_checkpoints_steps: int = 1000
    keep_checkpoint_max: int = 2
    on_nan: str = "stop"
    allow_changed_flags: bool = False

    def __post_init__(self):
        super().__post_init__()
        settled_fields(objective_named(self.objective), vars(self))
        self.run_options()
        checks.between(
            0, self.num_train_steps - 1, num_warmup_steps=self.num_warmup_steps
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
