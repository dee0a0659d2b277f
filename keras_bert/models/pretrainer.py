"""The encoder with the two heads that it is pre-trained with."""

import keras
from keras import ops

from keras_bert import features
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.nsp_head import NSPHead
from keras_bert.models.encoder import activation
from keras_bert.models.encoder import bert_encoder
from keras_bert.models.encoder import initializer


def bert_pretrainer(config, name="bert_pretrainer"):
    """Builds an encoder with masked-LM and next-sentence heads.

    Args:
        config: a `BertConfig`.
        name: str, name of the model.

    Returns:
        A functional `keras.Model`. It takes the encoder's inputs and
        `masked_lm_positions`, int32 `(batch_size, num_predictions)`, and
        returns a dict of `mlm_logits`, float32
        `(batch_size, num_predictions, vocab_size)`, and `nsp_logits`,
        float32 `(batch_size, 2)`.

    Example:

    >>> config = keras_bert.BertConfig.from_json("configs/bert_tiny.json")
    >>> keras_bert.models.bert_pretrainer(config).count_params()
    4433468

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1
    """
    return add_pretraining_heads(bert_encoder(config), config, name=name)


def add_pretraining_heads(encoder, config, name="bert_pretrainer"):
    """Puts the pre-training heads on an encoder, sharing its layers.

    Args:
        encoder: a model of `bert_encoder(config)`.
        config: the `BertConfig` that it was built from.
        name: str, name of the model.

    Returns:
        A functional `keras.Model` as of `bert_pretrainer`.
    """
    positions = keras.Input(
        (None,), dtype="int32", name=features.MASKED_LM_POSITIONS.name
    )
    # The heads look at [CLS] and the masked tokens, so the last block computes
    # no others.
    last_block = encoder.get_layer(f"block_{config.num_hidden_layers - 1}")
    hidden, mask = last_block.input
    seen = last_block(hidden, mask, ops.pad(positions, [[0, 0], [1, 0]]))
    mlm_logits = MaskedLMHead(
        encoder.get_layer("embeddings"),
        activation=activation(config),
        layer_norm_epsilon=config.layer_norm_eps,
        kernel_initializer=initializer(config),
        name="masked_lm_head",
    )(seen, ops.cumsum(ops.ones_like(positions), axis=1))
    nsp_logits = NSPHead(
        kernel_initializer=initializer(config), name="nsp_head"
    )(encoder.get_layer("pooler")(seen[:, 0]))
    return keras.Model(
        {**encoder.input, positions.name: positions},
        {"mlm_logits": mlm_logits, "nsp_logits": nsp_logits},
        name=name,
    )
