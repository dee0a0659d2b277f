"""Pre-training heads: masked LM, next sentence, replaced tokens."""

import typing

import keras
from keras import ops

from keras_bert import features
from keras_bert.config import StrictConfig
from keras_bert.layers.heads.masked_lm_head import MaskedLMHead
from keras_bert.layers.positions import gather_positions
from keras_bert.models.backbone import Backbone
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors

_MASKED_LM, _REPLACED_TOKEN = "masked_lm_head", "replaced_token_head"
MASKED, EVERY, POOLED = "masked tokens", "every token", "pooled output"


def add_heads(
    backbone: Backbone, heads: dict[str, keras.layers.Layer], name: str
) -> keras.Model:
    """Build a model from a backbone and pre-training heads.

    If the heads read only the first token and the masked tokens, the last block
    computes only these.

    Args:
        backbone: encoder layers, with a pooler if a head reads the pooled
            output.
        heads: non-empty dict mapping part names to layers. "masked_lm_head"
            maps vectors to vocabulary logits, "replaced_token_head" maps the
            vectors of all tokens to one logit each, and any other head, such as
            "nsp_head", maps the pooled output to logits.
        name: name of the model.

    Returns:
        A functional `keras.Model`. It takes the inputs of the backbone;
        `masked_lm_positions`, int32 `(batch_size, num_predictions)`, if there
        is a masked-LM head; and `text_starts`, if sequences are packed and a
        head reads the pooled output. It returns a dict of logits, float32:
        `mlm_logits` `(batch_size, num_predictions, vocab_size)`,
        `replaced_token_logits` `(batch_size, seq_length)`, and others such as
        `nsp_logits` `(batch_size, 2)`, or `(batch_size, num_texts, 2)` for
        packed sequences.
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
    states = _head_inputs(backbone, positions, EVERY in read)
    if POOLED in read:
        states[POOLED] = [backbone.pooler(*states[POOLED])]
    outputs = {
        logits_name(part): head(*states[reads_of(part)])
        for part, head in heads.items()
    }
    return keras.Model(inputs, outputs, name=name)


def reads_of(part: str) -> str:
    """Return the input type of a head: `MASKED`, `EVERY` or `POOLED`."""
    return {_MASKED_LM: MASKED, _REPLACED_TOKEN: EVERY}.get(part, POOLED)


def _head_inputs(
    backbone: Backbone, positions: Tensors, is_every: bool
) -> dict[str, list[Tensor]]:
    """Return a dict mapping input types to the arguments of the heads."""
    if is_every:
        every = backbone.states[-1]
        # The masked-LM head gathers its positions itself.
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
        # The number of texts is not known here, so run the last block
        # separately.
        run = {MASKED: backbone.masked_states, POOLED: backbone.last_states}
        return {reads: [run[reads](x)] for reads, x in positions.items()}
    states = backbone.last_states(ops.concatenate([*positions.values()], 1))
    masked = states[:, 1:] if POOLED in positions else states
    return {POOLED: [states[:, 0]], MASKED: [masked]}


def masked_lm_head(
    config: StrictConfig, embeddings: keras.layers.Layer, **changes: typing.Any
) -> MaskedLMHead:
    """Create the masked-LM head of a family.

    Args:
        config: config of any family.
        embeddings: layer that shares its word embeddings with the head.
        **changes: arguments of `MaskedLMHead` that override the config.
    """
    arguments = {**layer_arguments(config)["masked_lm_head"], **changes}
    return MaskedLMHead(embeddings, **arguments, name=_MASKED_LM)


def masked_lm_only(
    config: StrictConfig, embeddings: keras.layers.Layer, **changes: typing.Any
) -> dict[str, keras.layers.Layer]:
    """Return a dict with only the masked-LM head of a family."""
    return {_MASKED_LM: masked_lm_head(config, embeddings, **changes)}


def logits_name(part: str) -> str:
    """Return the output name of a head, such as "nsp_logits" for "nsp_head"."""
    if part == _MASKED_LM:
        return "mlm_logits"
    return f"{part.removesuffix('_head')}_logits"
