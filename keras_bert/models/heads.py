"""Pre-training heads on any backbone."""

import keras
from keras import ops

from keras_bert import features

# What the heads that read the pooled output give.
_OF_POOLED = {"nsp_head": "nsp_logits", "sop_head": "sop_logits"}


def add_heads(backbone, heads, name):
    """Puts pre-training heads on a backbone.

    The heads look at the first and at the masked tokens, so the last block
    computes no others.

    Args:
        backbone: `Backbone`, with a pooler if a head reads what it gives.
        heads: dict of layers by part, at least one: "masked_lm_head" from
            vectors to logits over the vocabulary, and "nsp_head" or
            "sop_head" from the pooled output to two logits.
        name: str, name of the model.

    Returns:
        A functional `keras.Model`. It takes the backbone's inputs and, if
        there is a masked-LM head, `masked_lm_positions`, int32
        `(batch_size, num_predictions)`. It returns a dict of `mlm_logits`,
        float32 `(batch_size, num_predictions, vocab_size)`, and `nsp_logits`
        or `sop_logits`, float32 `(batch_size, 2)`, of the heads that there
        are.
    """
    inputs, looked_at = dict(backbone.inputs), []
    of_pooled = [part for part in _OF_POOLED if part in heads]
    if of_pooled:
        first = inputs[features.INPUT_IDS.name][:, :1]
        looked_at.append(ops.zeros_like(first))
    if "masked_lm_head" in heads:
        feature = features.MASKED_LM_POSITIONS
        positions = keras.Input((None,), dtype="int32", name=feature.name)
        inputs[feature.name] = positions
        looked_at.append(positions)
    states = backbone.last_states(ops.concatenate(looked_at, axis=1))
    outputs = {}
    if "masked_lm_head" in heads:
        masked = states[:, 1:] if of_pooled else states
        outputs["mlm_logits"] = heads["masked_lm_head"](masked)
    for part in of_pooled:
        pooled = backbone.pooler(states[:, 0])
        outputs[_OF_POOLED[part]] = heads[part](pooled)
    return keras.Model(inputs, outputs, name=name)
