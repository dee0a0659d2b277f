"""Permutation language modeling, which predicts tokens in random order.

References:
    [XLNet](https://arxiv.org/abs/1906.08237), section 2
"""

import keras

from keras_bert import features
from keras_bert.pretraining.objectives.trainable_models import TrainableModels

_HEAD = "masked_lm_head"


def permutation_models(bert, recipe, read):
    """Create the `TrainableModels` for a model with two streams.

    Args:
        bert: `PretrainedModel` of XLNet with a language modeling head.
        recipe, read: not used; part of the interface of objectives.

    Returns:
        A `TrainableModels`.
    """
    backbone = bert.backbone.permuted()
    name = features.MASKED_LM_POSITIONS.name
    positions = keras.Input((None,), dtype="int32", name=name)
    states = backbone.masked_states(positions)
    model = keras.Model(
        {**backbone.inputs, name: positions},
        {"mlm_logits": bert.heads[_HEAD](states)},
        name=bert.family.model_name("permutation_learner"),
    )
    return TrainableModels(model, {"": bert})
