"""Pre-training heads on any backbone."""

import keras
from keras import ops

from keras_bert import features
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.positions import gather_positions
from keras_bert.models.layer_arguments import layer_arguments

_MASKED_LM, _REPLACED_TOKEN = "masked_lm_head", "replaced_token_head"
MASKED, EVERY, POOLED = "masked tokens", "every token", "pooled output"


def add_heads(backbone, heads, name):
    """Puts pre-training heads on a backbone.

    Where the heads look at the first and at the masked tokens only, the last
    block computes no others.

    Args:
        backbone: `Backbone`, with a pooler if a head reads what it gives.
        heads: dict of layers by part, at least one: "masked_lm_head" from
            vectors to logits over the vocabulary; "replaced_token_head" from
            the vectors of all tokens to a logit each; any other, such as
            "nsp_head", from the pooled output to logits.
        name: str, name of the model.

    Returns:
        A functional `keras.Model`. It takes the backbone's inputs and, if
        there is a masked-LM head, `masked_lm_positions`, int32
        `(batch_size, num_predictions)`; of packed rows, where another head
        reads the pooled output of each text, `text_starts`. It returns a dict
        of `mlm_logits`, float32 `(batch_size, num_predictions, vocab_size)`,
        and what the other heads give: `replaced_token_logits`, float32
        `(batch_size, seq_length)`, or such as `nsp_logits`, float32
        `(batch_size, 2)`, `(batch_size, num_texts, 2)` of packed rows.
    """
    inputs, positions = dict(backbone.inputs), {}
    read = {reads_of(part) for part in heads}
    if POOLED in read:
        positions[POOLED] = backbone.add_text_starts(inputs)
    if MASKED in read:
        feature = features.MASKED_LM_POSITIONS
        inputs[feature.name] = keras.Input(
            (None,), dtype="int32", name=feature.name
        )
        positions[MASKED] = inputs[feature.name]
    states = _looked_at(backbone, positions, EVERY in read)
    if POOLED in read:
        states[POOLED] = [backbone.pooler(*states[POOLED])]
    outputs = {
        logits_name(part): head(*states[reads_of(part)])
        for part, head in heads.items()
    }
    return keras.Model(inputs, outputs, name=name)


def reads_of(part):
    """Names what the head of a part reads: `MASKED`, `EVERY` or `POOLED`."""
    return {_MASKED_LM: MASKED, _REPLACED_TOKEN: EVERY}.get(part, POOLED)


def _looked_at(backbone, positions, is_every):
    """The last states that heads read, as arguments of the heads by kind."""
    if is_every:
        every = backbone.states[-1]
        # The masked-LM head gathers what it predicts.
        states = {EVERY: [every], MASKED: [every, positions.get(MASKED)]}
        if backbone.mask_queries and MASKED in positions:
            states[MASKED] = [backbone.masked_states(positions[MASKED])]
        if POOLED in positions and backbone.is_packed:
            return {
                **states,
                POOLED: [gather_positions(every, positions[POOLED])],
            }
        return {**states, POOLED: [every[:, 0]]}
    if backbone.is_packed or backbone.mask_queries:
        # How many texts there are is not known where they would be split.
        run = {MASKED: backbone.masked_states, POOLED: backbone.last_states}
        return {kind: [run[kind](x)] for kind, x in positions.items()}
    looked_at = ops.concatenate([*positions.values()], axis=1)
    states = backbone.last_states(looked_at)
    masked = states[:, 1:] if POOLED in positions else states
    return {POOLED: [states[:, 0]], MASKED: [masked]}


def masked_lm_head(config, embeddings, **changes):
    """Makes the masked-LM head of a family.

    Args:
        config: a config of any family.
        embeddings: the layer whose table the head shares.
        **changes: arguments of the layer that the config does not say.
    """
    arguments = {**layer_arguments(config)["masked_lm_head"], **changes}
    return MaskedLMHead(embeddings, **arguments, name=_MASKED_LM)


def masked_lm_only(config, embeddings, **changes):
    """Make the pre-training heads of a family that has no other."""
    return {_MASKED_LM: masked_lm_head(config, embeddings, **changes)}


def logits_name(part):
    """The name of what a head gives: "nsp_logits" of the "nsp_head"."""
    if part == _MASKED_LM:
        return "mlm_logits"
    return f"{part.removesuffix('_head')}_logits"
