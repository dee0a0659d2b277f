"""Recipe and options of a pre-training run."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.pretraining.job.choices import DECAYS
from keras_bert.pretraining.job.choices import MASKINGS
from keras_bert.pretraining.job.choices import ON_NAN
from keras_bert.pretraining.job.choices import OPTIMIZERS
from keras_bert.pretraining.job.choices import PRECISIONS
from keras_bert.pretraining.job.choices import STRATEGIES
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.objectives import PUBLISHED
from keras_bert.pretraining.objectives.objectives import resolved_fields


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunOptions(checks.Checked):
    """Options of a run that do not change the weights.

    Args:
        num_train_steps: number of optimizer steps. Skipped batches do not
            count.
        log_steps: number of steps between logged metrics.
        eval_steps: number of steps between evaluations. If 0, evaluation runs
            only before and after training.
        save_checkpoints_steps: number of steps between saved training
            states.
        keep_checkpoint_max: number of saved training states to keep.
        steps_per_execution: number of steps in one graph call.
        on_nan: how to handle NaN gradients.
        sources: names of the data to show in error messages.

    Raises:
        ValueError: a number is too small.
    """

    num_train_steps: Annotated[int, Check(checks.at_least, 1)] = 100_000
    log_steps: Annotated[int, Check(checks.at_least, 1)] = 25
    eval_steps: Annotated[int, Check(checks.at_least, 0)] = 0
    save_checkpoints_steps: Annotated[int, Check(checks.at_least, 1)] = 1000
    keep_checkpoint_max: Annotated[int, Check(checks.at_least, 1)] = 2
    steps_per_execution: Annotated[int, Check(checks.at_least, 1)] = 1
    on_nan: Annotated[str, Check(checks.one_of, ON_NAN)] = "stop"
    sources: str = ""


@dataclasses.dataclass(frozen=True)
class PretrainingRecipe(RunOptions):
    """All settings of a pre-training run.

    If a field is None, the value in the manifests of the records is used or, if
    there is none, the default of google-research/bert.

    Args:
        input_file: record files to train on: paths and globs.
        output_dir: directory of the checkpoint. It must be new, empty or
            contain a run to resume.
        eval_file: record files to evaluate on: paths and globs.
        bert_config_file: config of a new model.
        vocab_file: vocabulary of the records.
        init_checkpoint: checkpoint to start from, instead of a config and a
            vocabulary.
        allow_missing: parts (pooler, masked_lm_head, nsp_head, sop_head) to
            initialize if `init_checkpoint` lacks them.
        mimetic_initialization: whether to initialize the position embeddings
            and the attention weights of a new model so that the loss leaves its
            first plateau early; see docs/training.md.
        do_lower_case: whether the records are lower-cased, for WordPiece;
            required if neither their manifest nor the files next to the
            vocabulary specify it.
        max_seq_length: sequence length of the records. Defaults to the value in
            their manifest, or 128.
        max_predictions_per_seq: number of predictions per record. Defaults to
            the value in their manifest, or 20.
        masking: masking of the records. Defaults to the value in their
            manifest, or static.
        masked_lm_prob: fraction of tokens to mask, with dynamic `masking`.
            Defaults to 0.15.
        do_whole_word_mask: whether to mask whole words, with dynamic `masking`.
        ngram: maximum number of words in a masked span (pieces without
            `do_whole_word_mask`), with dynamic `masking`; by default 1, 10 for
            span boundaries, or 5 for permutation LM.
        mask_special_tokens: whether [CLS] and [SEP] can be masked like other
            tokens, with dynamic `masking`.
        objective: training objective: masked LM with next-sentence or
            sentence-order prediction, masked LM only, masked LM with span
            boundaries (SpanBERT), permutation LM (XLNet), causal LM,
            distillation, or replaced-token detection (ELECTRA, DeBERTa v3).
        teacher_dir: directory of the teacher, for distillation.
        generator_size: size of a new generator relative to the discriminator:
            the width (default 0.25) or, for DeBERTa, the depth (default 0.5).
        optimizer: name of the optimizer; see docs/optimizers.md.
        beta_2: decay rate for the running mean of squared gradients.
        learning_rate: peak learning rate.
        learning_rate_decay: decay of the learning rate after warmup.
        num_warmup_steps: number of steps of linear warmup.
        train_batch_size: number of examples in a training step, on all
            devices.
        random_seed: random seed for weights, dropout, data order and masks.
        precision: dtype policy; auto is mixed_bfloat16 if the hardware
            supports it.
        strategy: distribution strategy.
        gradient_accumulation_steps: number of parts that a batch is split into
            to save memory. The parts are computed one after the other.
        parallel_parts: number of parts into which the rows computed together
            are split. They are computed in parallel, each with its share of the
            threads. On a CPU, one part per core is fastest for small models.
        jit: whether to compile the step with XLA.
        eval_batch_size: number of examples in an evaluation step.
        allow_changed_flags: whether to resume a run with different settings.

    Raises:
        ValueError: a number is out of range, the objective is unknown, or a
            field is missing or not supported by the objective.
    """

    groups = {
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
    mimetic_initialization: bool = False
    do_lower_case: bool | None = None
    max_seq_length: int | None = None
    max_predictions_per_seq: int | None = None
    masking: Annotated[str | None, Check(checks.one_of, MASKINGS)] = None
    masked_lm_prob: float | None = None
    do_whole_word_mask: bool | None = None
    ngram: int | None = None
    mask_special_tokens: bool | None = None
    objective: Annotated[str, Check(checks.one_of, OBJECTIVES)] = PUBLISHED
    teacher_dir: str | None = None
    generator_size: Annotated[float | None, Check(checks.fraction)] = None
    optimizer: Annotated[str, Check(checks.one_of, OPTIMIZERS)] = "adamw"
    beta_2: Annotated[float, Check(checks.share)] = 0.999
    learning_rate: Annotated[float, Check(checks.positive)] = 1e-4
    learning_rate_decay: Annotated[str, Check(checks.one_of, DECAYS)] = "linear"
    num_warmup_steps: int = 10_000
    train_batch_size: Annotated[int, Check(checks.at_least, 1)] = 32
    random_seed: int = 12345
    precision: Annotated[str, Check(checks.one_of, PRECISIONS)] = "auto"
    strategy: Annotated[str, Check(checks.one_of, STRATEGIES)] = "one_device"
    gradient_accumulation_steps: Annotated[int, Check(checks.at_least, 1)] = 1
    parallel_parts: Annotated[int, Check(checks.at_least, 1)] = 1
    jit: bool = False
    eval_batch_size: Annotated[int, Check(checks.at_least, 1)] = 64
    allow_changed_flags: bool = False

    def __post_init__(self):
        super().__post_init__()
        resolved_fields(OBJECTIVES[self.objective], vars(self))
        if self.mimetic_initialization and self.init_checkpoint:
            raise ValueError(
                "`mimetic_initialization` cannot be used with "
                "`init_checkpoint`. Received: "
                f"init_checkpoint={self.init_checkpoint!r}."
            )
        checks.between(
            0, self.num_train_steps - 1, num_warmup_steps=self.num_warmup_steps
        )
