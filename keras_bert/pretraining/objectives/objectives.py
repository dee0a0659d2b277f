"""Definitions of the pre-training objectives.

They are used before Keras is imported, so functions that need Keras are
imported when they are called.
"""

import dataclasses
import importlib
import os
import typing
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence

from keras_bert import checks
from keras_bert import pretraining
from keras_bert.typing import Tensors

if typing.TYPE_CHECKING:
    import keras
    import tensorflow as tf

    from keras_bert.checkpoints.pretrained_model import PretrainedModel
    from keras_bert.pretraining.job.recipe import PretrainingRecipe
    from keras_bert.pretraining.objectives.terms import LabelTerm
    from keras_bert.pretraining.objectives.terms import LossTerm
    from keras_bert.pretraining.objectives.trainable_models import (
        TrainableModels,
    )

# The objective of the published BERT: masked tokens and next sentences.
PUBLISHED = "mlm_nsp"


def _imported(module: str, name: str) -> Callable[..., typing.Any]:
    """Return a function that imports its module when it is called."""

    def call(*arguments: typing.Any) -> typing.Any:
        imported = importlib.import_module(
            f"keras_bert.pretraining.objectives.{module}"
        )
        return getattr(imported, name)(*arguments)

    return call


_pretrainer = _imported("trainable_models", "pretrainer_models")


def _no_checkpoints(recipe: "PretrainingRecipe") -> dict[str, str]:
    return {}


@dataclasses.dataclass(frozen=True)
class Objective:
    """Pre-training objective.

    Args:
        name: the value of `objective`.
        parts: the optional parts of the model to train.
        terms: function that returns the loss terms (`LabelTerm`, `TokenTerm` or
            objects with the same methods). The loss is their sum, weighted by
            their `factor`.
        view: function that converts batches of `pretraining.dataset` to batches
            with the labels and weights for the loss terms.
        is_decoder: whether a token attends only to earlier tokens.
        label: the meaning of `next_sentence_labels`, as in `ExampleLayout`; ""
            if they are not used.
        masking: arguments of `MaskingOptions`, if masking differs from BERT.
            The records must be dynamic. A recipe can override options that are
            also its fields.
        trainable_models: function that takes a model with `parts`, the recipe
            and `from_pretrained`. Defaults to `pretrainer_models`.
        fields: objective-specific recipe fields and their defaults; None means
            that the field is required.
        reads: function that takes the recipe and returns the checkpoint
            directories to load, with names for the run record.
        shares: prefix of the weight paths that are shared between models or
            streams. Supported models must have such weights.
        masks_special: whether special tokens can be masked.
    """

    name: str
    parts: tuple[str, ...]
    terms: Callable[[], Sequence["LossTerm"]]
    view: Callable[["tf.data.Dataset"], "tf.data.Dataset"]
    is_decoder: bool = False
    label: str = ""
    masking: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    trainable_models: Callable[
        ["PretrainedModel", "PretrainingRecipe", Callable], "TrainableModels"
    ] = _pretrainer
    fields: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    reads: Callable[["PretrainingRecipe"], dict[str, str]] = _no_checkpoints
    shares: str = ""
    masks_special: bool = True

    @property
    def reads_packed(self) -> bool:
        """Return True if an example may contain several texts."""
        return self.trainable_models is _pretrainer


def objective_named(name: str) -> Objective:
    """Return the objective with a given name, or raise ValueError."""
    checks.one_of(OBJECTIVES, objective=name)
    return OBJECTIVES[name]


def resolved_fields(
    objective: Objective, values: Mapping[str, typing.Any]
) -> dict[str, typing.Any]:
    """Fill in the defaults of objective-specific fields.

    Args:
        objective: the objective of the recipe.
        values: the fields of a recipe by name; None means the default.

    Returns:
        The fields of the objective, with defaults filled in.

    Raises:
        ValueError: a field belongs to a different objective, or a required
            field is missing.
    """
    for name, other in OBJECTIVES.items():
        for field in other.fields:
            value, is_own = values[field], field in objective.fields
            default = objective.fields.get(field)
            # Own fields without a default must be set, others must not be.
            is_open = value is None and default is None
            if is_open if is_own else value is not None:
                raise ValueError(
                    f"`objective`={objective.name!r} "
                    f"{'requires' if is_own else 'does not use'} `{field}`, a "
                    f"field of {name!r}. Received: {field}={value}."
                )
    return {
        field: default if values[field] is None else values[field]
        for field, default in objective.fields.items()
    }


def _of_labels(
    name: str,
    parts: tuple[str, ...],
    labels: dict[str, str],
    label: str = "",
) -> Objective:
    """Return an objective that predicts labels of the records.

    Args:
        name, parts, label: see `Objective`.
        labels: outputs of the model and the names of their labels in
            `pretraining.dataset`.
    """

    def rename(values: Tensors) -> Tensors:
        return {output: values[old] for output, old in labels.items()}

    def view(batches: "tf.data.Dataset") -> "tf.data.Dataset":
        # Labels and weights have the same names; the inputs do not change.
        return batches.map(lambda inputs, *more: (inputs, *map(rename, more)))

    return Objective(
        name=name,
        parts=parts,
        terms=lambda: [pretraining.LabelTerm(output) for output in labels],
        view=view,
        label=label,
    )


def _generator(recipe: "PretrainingRecipe") -> dict[str, str]:
    """Return the directory of the generator in `init_checkpoint`."""
    if recipe.init_checkpoint is None:
        return {}
    return {"generator": os.path.join(recipe.init_checkpoint, "generator")}


_MLM = {"mlm_logits": "mlm_logits"}
_DETECTION = Objective(
    name="electra",
    parts=("replaced_token_head",),
    terms=_imported("replaced_tokens", "replaced_token_terms"),
    view=lambda batches: pretraining.token_batches(batches),
    masking={"substitutes": (0.85, 0.15)},
    trainable_models=_imported("replaced_tokens", "replaced_token_models"),
    fields={"generator_size": 0.25},
    reads=_generator,
    shares="embeddings/tables/",
    masks_special=False,
)
OBJECTIVES = {
    objective.name: objective
    for objective in (
        _of_labels(
            PUBLISHED,
            ("pooler", "masked_lm_head", "nsp_head"),
            {**_MLM, "nsp_logits": "nsp_logits"},
            label="random_next",
        ),
        _of_labels(
            "mlm_sop",
            ("pooler", "masked_lm_head", "sop_head"),
            # In records, next-sentence and sentence-order labels have the same
            # name.
            {**_MLM, "sop_logits": "nsp_logits"},
            label="swapped",
        ),
        _of_labels("mlm", ("masked_lm_head",), _MLM),
        Objective(
            name="mlm_sbo",
            parts=("masked_lm_head",),
            terms=_imported("span_boundaries", "span_boundary_terms"),
            view=lambda batches: pretraining.span_boundary_batches(batches),
            masking={
                "span_masking": True,
                "do_whole_word_mask": True,
                "ngram": 10,
            },
            trainable_models=_imported(
                "span_boundaries", "span_boundary_models"
            ),
        ),
        Objective(
            name="plm",
            parts=("masked_lm_head",),
            terms=lambda: [pretraining.LabelTerm("mlm_logits")],
            view=lambda batches: pretraining.permuted_batches(batches),
            # The random substitutes determine the order; `view` restores the
            # tokens.
            masking={
                "substitutes": (0.0, 0.0),
                "masked_lm_prob": 1 / 6,
                "ngram": 5,
            },
            trainable_models=_imported("permutations", "permutation_models"),
            shares="embeddings/query_embedding",
        ),
        Objective(
            name="left_to_right",
            parts=("masked_lm_head",),
            terms=lambda: [pretraining.LabelTerm("mlm_logits")],
            view=lambda batches: pretraining.left_to_right_batches(batches),
            is_decoder=True,
        ),
        Objective(
            name="distillation",
            parts=("masked_lm_head",),
            terms=_imported("distillation", "distillation_terms"),
            view=lambda batches: pretraining.token_batches(batches),
            trainable_models=_imported("distillation", "distillation_models"),
            fields={"teacher_dir": None},
            reads=lambda recipe: {"teacher": recipe.teacher_dir},
        ),
        _DETECTION,
        dataclasses.replace(
            _DETECTION,
            name="electra_gdes",
            masking={"substitutes": (1.0, 0.0)},
            trainable_models=_imported(
                "disentangled_sharing", "disentangled_models"
            ),
            fields={"generator_size": 0.5},
            shares="embeddings/word_embeddings",
        ),
    )
}


def losses(objective: str = PUBLISHED) -> dict[str, "keras.losses.Loss"]:
    """Return the Keras losses of an objective by model output.

    The masked-LM loss is the mean over the predictions in the batch, without
    padding. The next-sentence loss is the mean over the examples. The total
    loss is their sum.

    Args:
        objective: "mlm_nsp", "mlm_sop", "mlm" or "left_to_right".

    Returns:
        Losses in float32 by output, for `compile(loss=...)`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1 and appendix A.2
    """
    return {term.output: term.keras_loss() for term in _of_fit(objective)}


def _of_fit(name: str) -> Sequence["LabelTerm"]:
    """Return the loss terms of an objective that `model.fit` supports."""
    objective = objective_named(name)
    if objective.trainable_models is not _pretrainer:
        fitting = [
            x
            for x, y in OBJECTIVES.items()
            if y.trainable_models is _pretrainer
        ]
        raise ValueError(
            f"`objective` must be one of {', '.join(fitting)} for `fit`. "
            f"Received: objective={name!r}. Train it with keras-bert "
            "run_pretraining."
        )
    # These objectives have only label terms.
    return typing.cast("Sequence[LabelTerm]", objective.terms())


def metrics(objective: str = PUBLISHED) -> dict[str, "keras.metrics.Metric"]:
    """Return the accuracy metrics of an objective, ignoring padded predictions.

    Args:
        objective: "mlm_nsp", "mlm_sop", "mlm" or "left_to_right".

    Returns:
        New metrics by output, for `compile(weighted_metrics=...)`.
    """
    return {term.output: term.keras_metric() for term in _of_fit(objective)}
