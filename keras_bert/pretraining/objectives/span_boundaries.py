"""Span boundary objective, which predicts spans from their boundaries.

References:
    [SpanBERT](https://arxiv.org/abs/1907.10529), section 3
"""

import keras

from keras_bert import features
from keras_bert.layers.heads.span_boundary_head import SpanBoundaryHead
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.pretraining.objectives.terms import LabelTerm
from keras_bert.pretraining.objectives.trainable_models import TrainableModels

_HEAD = "masked_lm_head"


def span_boundary_terms():
    """Return the loss terms with the loss weights of the paper."""
    return [LabelTerm("mlm_logits"), LabelTerm("sbo_logits")]


def span_boundary_models(bert, recipe, read):
    """Create the `TrainableModels` with masked-LM and boundary heads.

    The boundary head is saved in the training states of a run, but not in its
    checkpoint.

    Args:
        bert: `PretrainedModel` with a masked-LM head.
        recipe, read: not used; part of the interface of objectives.

    Returns:
        A `TrainableModels`.
    """
    backbone = bert.backbone
    inputs = {
        **backbone.inputs,
        **{
            feature.name: keras.Input(shape, dtype="int32", name=feature.name)
            for feature, shape in (
                (features.MASKED_LM_POSITIONS, (None,)),
                (features.SPAN_BOUNDARIES, (None, 2)),
                (features.SPAN_POSITIONS, (None,)),
            )
        },
    }
    states = backbone.states[-1]
    positions = inputs[features.MASKED_LM_POSITIONS.name]
    masked = [states, positions]
    if backbone.mask_queries:
        masked = [backbone.masked_states(positions)]
    boundary_head = SpanBoundaryHead(
        backbone.embeddings,
        **layer_arguments(bert.config)[_HEAD],
        name="span_boundary_head",
    )
    outputs = {
        "mlm_logits": bert.heads[_HEAD](*masked),
        "sbo_logits": boundary_head(
            states,
            inputs[features.SPAN_BOUNDARIES.name],
            inputs[features.SPAN_POSITIONS.name],
        ),
    }
    name = bert.family.model_name("span_boundary_learner")
    return TrainableModels(keras.Model(inputs, outputs, name=name), {"": bert})
