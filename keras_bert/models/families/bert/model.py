"""BERT: encoder, pre-training heads and family definition."""

import keras

from keras_bert.config import BertConfig
from keras_bert.layers.embeddings.bert_embeddings import BertEmbeddings
from keras_bert.layers.heads.nsp_head import NSPHead
from keras_bert.models.backbone import Backbone
from keras_bert.models.family import Family
from keras_bert.models.heads import add_heads
from keras_bert.models.heads import masked_lm_head
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.layer_arguments import transformer_backbone


def bert_encoder(config: BertConfig, name: str = "bert_encoder") -> keras.Model:
    """Build the encoder of BERT.

    Args:
        config: `BertConfig`.
        name: name of the model.

    Returns:
        A functional `keras.Model`. It takes a dict of int32
        `(batch_size, seq_length)` tensors `input_ids`, `input_mask` (1 at
        tokens, 0 at padding) and `segment_ids`, and returns a dict of
        `sequence_output`, float `(batch_size, seq_length, hidden_size)`, and
        `pooled_output`, float `(batch_size, hidden_size)`.

    Example:

    >>> config = keras_bert.BertConfig.from_json("configs/bert_tiny.json")
    >>> keras_bert.models.bert_encoder(config).count_params()
    4385920

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3
    """
    return bert_backbone(config).encoder(name)


def bert_pretrainer(
    config: BertConfig, name: str = "bert_pretrainer"
) -> keras.Model:
    """Build a BERT encoder with masked-LM and next-sentence heads.

    Args:
        config: `BertConfig`.
        name: name of the model.

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
    backbone = bert_backbone(config)
    return add_heads(backbone, bert_heads(config, backbone.embeddings), name)


def add_pretraining_heads(
    encoder: keras.Model, config: BertConfig, name: str = "bert_pretrainer"
) -> keras.Model:
    """Add the pre-training heads to an encoder, sharing its layers.

    Args:
        encoder: `keras.Model`, as returned by `bert_encoder(config)`.
        config: `BertConfig` of the encoder.
        name: name of the new model.

    Returns:
        A functional `keras.Model`, see `bert_pretrainer`.
    """
    blocks = [f"block_{index}" for index in range(config.num_hidden_layers)]
    backbone = Backbone(
        encoder.get_layer("embeddings"),
        [encoder.get_layer(block) for block in blocks],
        pooler=encoder.get_layer("pooler"),
        inputs=encoder.input,
    )
    return add_heads(backbone, bert_heads(config, backbone.embeddings), name)


def bert_backbone(config):
    """Build the layers of the encoder."""
    arguments = layer_arguments(config)
    embeddings = BertEmbeddings(**arguments["embeddings"], name="embeddings")
    return transformer_backbone(config, arguments, embeddings)


def bert_heads(config, embeddings):
    """Return a dict mapping part names to pre-training heads."""
    matrix = layer_arguments(config)["matrix"]
    return {
        "masked_lm_head": masked_lm_head(config, embeddings),
        "nsp_head": NSPHead(**matrix, name="nsp_head"),
    }


FAMILY = Family(
    config=BertConfig,
    backbone=bert_backbone,
    heads=bert_heads,
    paper="1810.04805",
    parts=("pooler", "masked_lm_head", "nsp_head"),
)
