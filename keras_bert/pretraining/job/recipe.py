"""The recipe of a pre-training, under the names of the program's flags."""

import dataclasses
import typing

from keras_bert import checks
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.objectives import PUBLISHED
from keras_bert.pretraining.objectives.objectives import settled_fields
from keras_bert.pretraining.run.choices import DECAYS
from keras_bert.pretraining.run.choices import MASKINGS
from keras_bert.pretraining.run.choices import OPTIMIZERS
from keras_bert.pretraining.run.choices import PRECISIONS
from keras_bert.pretraining.run.choices import STRATEGIES
from keras_bert.pretraining.run.run_options import RunOptions


@dataclasses.dataclass(frozen=True)
class PretrainingRecipe(RunOptions):
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
        num_warmup_steps: int, steps in which the rate rises.
        train_batch_size: int, examples in a training step, on all devices.
        random_seed: int, of the weights, the dropout, the data order and the
            masks.
        precision: str, of the matrix products; auto is mixed_bfloat16 where
            the hardware has it.
        strategy: str, where to train.
        gradient_accumulation_steps: int, pieces that a batch is worked
            through in, to save memory.
        jit: bool, compile the step with XLA.
        eval_batch_size: int, examples in an evaluation step.
        allow_changed_flags: bool, go on with a run under other flags.

    Raises:
        ValueError: a number is out of range, no objective has the name, or
            it does not have a field or lacks one.
    """

    groups: typing.ClassVar = {
        "input_file": "Files",
        "do_lower_case": "Records and masks",
        "objective": "Training",
        "precision": "Computation",
        "eval_batch_size": "The run",
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
    masking: str | None = checks.field(None, checks.one_of, MASKINGS)
    masked_lm_prob: float | None = None
    do_whole_word_mask: bool | None = None
    ngram: int | None = None
    mask_special_tokens: bool | None = None
    objective: str = checks.field(PUBLISHED, checks.one_of, OBJECTIVES)
    teacher_dir: str | None = None
    generator_size: float | None = checks.field(None, checks.fraction)
    optimizer: str = checks.field("adamw", checks.one_of, OPTIMIZERS)
    beta_2: float = checks.field(0.999, checks.share)
    learning_rate: float = checks.field(1e-4, checks.positive)
    learning_rate_decay: str = checks.field("linear", checks.one_of, DECAYS)
    num_warmup_steps: int = 10_000
    train_batch_size: int = checks.field(32, checks.at_least, 1)
    random_seed: int = 12345
    precision: str = checks.field("auto", checks.one_of, PRECISIONS)
    strategy: str = checks.field("one_device", checks.one_of, STRATEGIES)
    gradient_accumulation_steps: int = checks.field(1, checks.at_least, 1)
    jit: bool = False
    eval_batch_size: int = checks.field(64, checks.at_least, 1)
    allow_changed_flags: bool = False

    def __post_init__(self):
        super().__post_init__()
        settled_fields(OBJECTIVES[self.objective], vars(self))
        checks.between(
            0, self.num_train_steps - 1, num_warmup_steps=self.num_warmup_steps
        )
