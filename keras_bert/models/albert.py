"""ALBERT, wired from layers: BERT with shared blocks and narrow tables."""

import dataclasses

from keras_bert.config import StrictConfig
from keras_bert.layers.bert_embeddings import BertEmbeddings
from keras_bert.layers.factorized_embeddings import FactorizedEmbeddings
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.task_head import TaskHead
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock
from keras_bert.models.backbone import Backbone
from keras_bert.models.bert_words import bert_words
from keras_bert.models.family import Family
from keras_bert.models.family import HeadKind
from keras_bert.models.family import HuggingFaceNames
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class AlbertConfig(StrictConfig):
    """Sizes and rates of an ALBERT, under the published keys.

    What is not said is as of the base model, version 2. Version 1 has dropout
    0.1 but for xxlarge.

    Args:
        vocab_size: int, number of pieces.
        embedding_size: int, width of the tables of embeddings.
        hidden_size: int, width of the token vectors.
        num_hidden_layers: int, how many times a group of blocks is run.
        num_hidden_groups: int, groups of blocks with weights of their own, at
            most `num_hidden_layers`.
        inner_group_num: int, blocks in a group.
        num_attention_heads: int, must divide `hidden_size`.
        intermediate_size: int, width inside the feed-forward layers.
        hidden_act: "gelu_tanh" (published as "gelu_new", and by Google as
            "gelu"), "gelu_erf", "relu" or "tanh".
        hidden_dropout_prob: float, dropout after embeddings and sublayers.
        attention_probs_dropout_prob: float, dropout of attention weights.
        classifier_dropout_prob: float, dropout before the head of a task.
        max_position_embeddings: int, longest sequence.
        type_vocab_size: int, number of segments.
        initializer_range: float, standard deviation of initial weights.
        layer_norm_eps: float, added to the variance in LayerNorm.

    Raises:
        ValueError: a value has the wrong type, is out of range or does not
            divide.

    References:
        [ALBERT](https://arxiv.org/abs/1909.11942), section 3
    """

    vocab_size: int
    embedding_size: int = 128
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_hidden_groups: int = 1
    inner_group_num: int = 1
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu_tanh"
    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    classifier_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12

    family = "ALBERT"
    model_type = "albert"
    size_keys = {
        **StrictConfig.size_keys,
        "S": "type_vocab_size",
        "E": "embedding_size",
        "G": "num_hidden_groups",
        "K": "inner_group_num",
    }
    block_letters = "GK"
    informative_keys = frozenset(("layers_to_keep",))
    required_values = {
        "down_scale_factor": 1,
        "gap_size": 0,
        "is_decoder": False,
        "net_structure_type": 0,
        "num_memory_blocks": 0,
        "position_embedding_type": "absolute",
    }
    published_widths = {
        768: "base",
        1024: "large",
        2048: "xlarge",
        4096: "xxlarge",
    }

    def __post_init__(self):
        super().__post_init__()
        if self.num_hidden_groups > self.num_hidden_layers:
            raise ValueError(
                "`num_hidden_groups` must be at most `num_hidden_layers`. "
                f"Received: num_hidden_groups={self.num_hidden_groups}, "
                f"num_hidden_layers={self.num_hidden_layers}."
            )

    @property
    def depth(self):
        return self.num_hidden_layers * self.inner_group_num


def albert_backbone(config):
    """The layers of the encoder, as a `Backbone`."""
    words = bert_words(config)
    narrow = {**words["embeddings"], "hidden_size": config.embedding_size}
    embeddings = FactorizedEmbeddings(
        BertEmbeddings(**narrow, name="tables"),
        config.hidden_size,
        **words["matrix"],
        name="embeddings",
    )
    groups = [
        [
            TransformerEncoderBlock(
                **words["block"], name=f"group_{group}_block_{index}"
            )
            for index in range(config.inner_group_num)
        ]
        for group in range(config.num_hidden_groups)
    ]
    # Each group runs several times, one time after the other.
    runs = [
        groups[layer * config.num_hidden_groups // config.num_hidden_layers]
        for layer in range(config.num_hidden_layers)
    ]
    return Backbone(
        embeddings,
        [block for group in runs for block in group],
        pooler=FlatDense(**words["pooler"], name="pooler"),
    )


def albert_heads(config, embeddings):
    """The layers of the pre-training heads, for `add_heads`."""
    words = bert_words(config)
    head = MaskedLMHead(
        embeddings, **words["masked_lm_head"], name="masked_lm_head"
    )
    return {
        "masked_lm_head": head,
        "sop_head": _undropped_head(config, 2, "sop_head"),
    }


def _task_head(config, num_outputs, name):
    return _head(config, num_outputs, name, config.classifier_dropout_prob)


def _undropped_head(config, num_outputs, name):
    return _head(config, num_outputs, name, 0.0)


def _head(config, num_outputs, name, dropout):
    words = bert_words(config)["matrix"]
    return TaskHead(num_outputs, dropout=dropout, **words, name=name)


FAMILY = Family(
    config=AlbertConfig,
    backbone=albert_backbone,
    heads=albert_heads,
    parts={
        "pooler": "pooled_output",
        "masked_lm_head": "mlm_logits",
        "sop_head": "sop_logits",
    },
    template=Template("[CLS] A [SEP]", "[CLS] A [SEP] B:1 [SEP]:1", "<pad>"),
    hugging_face=HuggingFaceNames(
        prefix="albert.",
        encoder=("embeddings.", "encoder.", "pooler."),
        task_arrays=("classifier.", "qa_outputs."),
        buffers=(
            "albert.embeddings.position_ids",
            "albert.embeddings.token_type_ids",
        ),
        copies={
            "predictions.decoder.weight": (
                "albert.embeddings.word_embeddings.weight"
            ),
            "predictions.decoder.bias": "predictions.bias",
        },
        architectures=(
            ("AlbertForPreTraining", {"masked_lm_head", "sop_head"}),
            ("AlbertForMaskedLM", {"masked_lm_head"}),
            ("AlbertModel", set()),
        ),
        config={"bos_token_id": 2, "eos_token_id": 3},
    ),
    task_heads={
        "classifier": HeadKind(
            "pooled_output", _task_head, "AlbertForSequenceClassification"
        ),
        "token_classifier": HeadKind(
            "sequence_output", _task_head, "AlbertForTokenClassification"
        ),
        "choice_scorer": HeadKind(
            "pooled_output", _task_head, "AlbertForMultipleChoice"
        ),
        "span_classifier": HeadKind(
            "sequence_output", _undropped_head, "AlbertForQuestionAnswering"
        ),
    },
    paper="1909.11942",
    tokenizer="sentencepiece",
)
