"""Pre-training heads on any backbone."""

import keras
from keras import ops

from keras_bert import features
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.models.layer_arguments import layer_arguments

_MASKED_LM = "masked_lm_head"


def add_heads(backbone, heads, name):
    """Puts pre-training heads on a backbone.

    The heads look at the first and at the masked tokens, so the last block
    computes no others.

    Args:
        backbone: `Backbone`, with a pooler if a head reads what it gives.
        heads: dict of layers by part, at least one: "masked_lm_head" from
            vectors to logits over the vocabulary; any other, such as
            "nsp_head", from the pooled output to logits.
        name: str, name of the model.

    Returns:
        A functional `keras.Model`. It takes the backbone's inputs and, if
        there is a masked-LM head, `masked_lm_positions`, int32
        `(batch_size, num_predictions)`. It returns a dict of `mlm_logits`,
        float32 `(batch_size, num_predictions, vocab_size)`, and what the
        other heads give, such as `nsp_logits`, float32 `(batch_size, 2)`.
    """
    inputs, looked_at = dict(backbone.inputs), []
    of_pooled = [part for part in heads if part != _MASKED_LM]
    if of_pooled:
        first = inputs[features.INPUT_IDS.name][:, :1]
        looked_at.append(ops.zeros_like(first))
    if _MASKED_LM in heads:
        feature = features.MASKED_LM_POSITIONS
        positions = keras.Input((None,), dtype="int32", name=feature.name)
        inputs[feature.name] = positions
        looked_at.append(positions)
    states = backbone.last_states(ops.concatenate(looked_at, axis=1))
    outputs = {}
    if _MASKED_LM in heads:
        masked = states[:, 1:] if of_pooled else states
        outputs[logits_name(_MASKED_LM)] = heads[_MASKED_LM](masked)
    for part in of_pooled:
        pooled = backbone.pooler(states[:, 0])
        outputs[logits_name(part)] = heads[part](pooled)
    return keras.Model(inputs, outputs, name=name)


def masked_lm_head(config, embeddings, **changes):
    """Makes the masked-LM head of a family.

    Args:
        config: a config of any family.
        embeddings: the layer whose table the head shares.
        **changes: arguments of the layer that the config does not say.
    """
    arguments = {**layer_arguments(config)["masked_lm_head"], **changes}
    return MaskedLMHead(embeddings, **arguments, name=_MASKED_LM)


def masked_lm_only(config, embeddings):
    """The pre-training heads of a family that has no other."""
    return {_MASKED_LM: masked_lm_head(config, embeddings)}


def logits_name(part):
    """The name of what a head gives: "nsp_logits" of the "nsp_head"."""
    if part == _MASKED_LM:
        return "mlm_logits"
    return f"{part.removesuffix('_head')}_logits"
