"""BERT, wired from layers."""

from keras_bert import template
from keras_bert.config import BertConfig
from keras_bert.layers.bert_embeddings import BertEmbeddings
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.nsp_head import NSPHead
from keras_bert.layers.task_head import TaskHead
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock
from keras_bert.models.backbone import Backbone
from keras_bert.models.bert_words import bert_words
from keras_bert.models.family import Family
from keras_bert.models.family import HeadKind
from keras_bert.models.family import HuggingFaceNames
from keras_bert.models.heads import add_heads


def bert_encoder(config, name="bert_encoder"):
    """Builds the encoder that all of BERT's models share.

    Args:
        config: a `BertConfig`.
        name: str, name of the model.

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
    backbone = bert_backbone(config)
    return add_heads(backbone, bert_heads(config, backbone.embeddings), name)


def add_pretraining_heads(encoder, config, name="bert_pretrainer"):
    """Puts the pre-training heads on an encoder, sharing its layers.

    Args:
        encoder: a model of `bert_encoder(config)`.
        config: the `BertConfig` that it was built from.
        name: str, name of the model.

    Returns:
        A functional `keras.Model` as of `bert_pretrainer`.
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
    """The layers of the encoder, as a `Backbone`."""
    words = bert_words(config)
    return Backbone(
        BertEmbeddings(**words["embeddings"], name="embeddings"),
        [
            TransformerEncoderBlock(**words["block"], name=f"block_{index}")
            for index in range(config.num_hidden_layers)
        ],
        pooler=FlatDense(**words["pooler"], name="pooler"),
    )


def bert_heads(config, embeddings):
    """The layers of the pre-training heads, for `add_heads`."""
    words = bert_words(config)
    head = MaskedLMHead(
        embeddings, **words["masked_lm_head"], name="masked_lm_head"
    )
    return {
        "masked_lm_head": head,
        "nsp_head": NSPHead(**words["matrix"], name="nsp_head"),
    }


def _task_head(config, num_outputs, name):
    return TaskHead(num_outputs, **bert_words(config)["task_head"], name=name)


def _span_classifier(config, num_outputs, name):
    # As published, without dropout.
    words = {**bert_words(config)["task_head"], "dropout": 0.0}
    return TaskHead(num_outputs, **words, name=name)


FAMILY = Family(
    config=BertConfig,
    backbone=bert_backbone,
    heads=bert_heads,
    parts={
        "pooler": "pooled_output",
        "masked_lm_head": "mlm_logits",
        "nsp_head": "nsp_logits",
    },
    template=template.BERT,
    hugging_face=HuggingFaceNames(
        prefix="bert.",
        encoder=("embeddings.", "encoder.", "pooler."),
        task_arrays=("classifier.", "qa_outputs.", "dropout."),
        buffers=(
            "bert.embeddings.position_ids",
            "bert.embeddings.token_type_ids",
        ),
        copies={
            "cls.predictions.decoder.weight": (
                "bert.embeddings.word_embeddings.weight"
            ),
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        },
        architectures=(
            ("BertForPreTraining", {"masked_lm_head", "nsp_head"}),
            ("BertForMaskedLM", {"masked_lm_head"}),
            ("BertForNextSentencePrediction", {"nsp_head"}),
            ("BertModel", set()),
        ),
        old_names={
            "LayerNorm.gamma": "LayerNorm.weight",
            "LayerNorm.beta": "LayerNorm.bias",
        },
        decoder="BertLMHeadModel",
    ),
    task_heads={
        "classifier": HeadKind(
            "pooled_output", _task_head, "BertForSequenceClassification"
        ),
        "token_classifier": HeadKind(
            "sequence_output", _task_head, "BertForTokenClassification"
        ),
        "choice_scorer": HeadKind(
            "pooled_output", _task_head, "BertForMultipleChoice"
        ),
        "span_classifier": HeadKind(
            "sequence_output", _span_classifier, "BertForQuestionAnswering"
        ),
    },
    paper="1810.04805",
)
