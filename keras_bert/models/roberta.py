"""RoBERTa, wired from layers: BERT whose positions skip padding."""

import dataclasses

from keras_bert import features
from keras_bert.config import StrictConfig
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.dropout_dense import DropoutDense
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.roberta_embeddings import RobertaEmbeddings
from keras_bert.layers.task_head import TaskHead
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock
from keras_bert.models.backbone import Backbone
from keras_bert.models.backbone import encoder_inputs
from keras_bert.models.bert_words import bert_words
from keras_bert.models.family import Family
from keras_bert.models.family import HeadKind
from keras_bert.models.family import HuggingFaceNames
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class RobertaConfig(StrictConfig):
    """Sizes and rates of a RoBERTa, under the published keys.

    Args:
        vocab_size: int, number of byte-level pieces.
        hidden_size: int, width of the token vectors.
        num_hidden_layers: int, number of Transformer blocks.
        num_attention_heads: int, must divide `hidden_size`.
        intermediate_size: int, width inside the feed-forward layers.
        hidden_act: "gelu_erf" (published as "gelu"), "gelu_tanh", "relu" or
            "tanh".
        hidden_dropout_prob: float, dropout after embeddings and sublayers.
        attention_probs_dropout_prob: float, dropout of attention weights.
        max_position_embeddings: int, rows of the table of positions: two
            more than the longest sequence where `pad_token_id` is 1.
        type_vocab_size: int, rows of the table of segments, of which only
            the first is used.
        initializer_range: float, standard deviation of initial weights.
        layer_norm_eps: float, added to the variance in LayerNorm.
        pad_token_id: int, the id of padding, which counts no position.

    Raises:
        ValueError: a value has the wrong type, is out of range or does not
            divide.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 2
    """

    vocab_size: int
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu_erf"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 514
    type_vocab_size: int = 1
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-5
    pad_token_id: int = 1

    family = "RoBERTa"
    model_type = "roberta"
    size_keys = {**StrictConfig.size_keys, "S": "type_vocab_size"}
    informative_keys = frozenset(("classifier_dropout",))
    required_values = {
        "is_decoder": False,
        "position_embedding_type": "absolute",
    }
    published_widths = {768: "base", 1024: "large"}
    plain_gelu = "gelu_erf"

    def __post_init__(self):
        super().__post_init__()
        if self.max_seq_length < 1:
            raise ValueError(
                "`max_position_embeddings` must be greater than "
                "`pad_token_id` + 1, where the positions of tokens begin. "
                "Received: max_position_embeddings="
                f"{self.max_position_embeddings}, "
                f"pad_token_id={self.pad_token_id}."
            )

    @property
    def max_seq_length(self):
        return self.max_position_embeddings - self.pad_token_id - 1


def roberta_backbone(config):
    """The layers of the encoder, as a `Backbone`."""
    words = bert_words(config)
    return Backbone(
        RobertaEmbeddings(
            **words["embeddings"], pad_id=config.pad_token_id, name="embeddings"
        ),
        [
            TransformerEncoderBlock(**words["block"], name=f"block_{index}")
            for index in range(config.num_hidden_layers)
        ],
        pooler=FlatDense(**words["pooler"], name="pooler"),
        inputs=encoder_inputs((features.INPUT_IDS, features.INPUT_MASK)),
    )


def roberta_heads(config, embeddings):
    """The layers of the pre-training head, for `add_heads`."""
    # The erf form, whatever the blocks have.
    words = {**bert_words(config)["masked_lm_head"], "activation": gelu_erf}
    head = MaskedLMHead(embeddings, **words, name="masked_lm_head")
    return {"masked_lm_head": head}


def _first_token_head(config, num_outputs, name):
    """A head behind a layer of its own, in the place of BERT's pooler."""
    words = bert_words(config)
    transform = DropoutDense(
        dropout=config.hidden_dropout_prob, **words["pooler"], name="dense"
    )
    return TaskHead(
        num_outputs, transform=transform, **words["task_head"], name=name
    )


def _task_head(config, num_outputs, name):
    return TaskHead(num_outputs, **bert_words(config)["task_head"], name=name)


def _span_head(config, num_outputs, name):
    # As published, without dropout.
    words = {**bert_words(config)["task_head"], "dropout": 0.0}
    return TaskHead(num_outputs, **words, name=name)


FAMILY = Family(
    config=RobertaConfig,
    backbone=roberta_backbone,
    heads=roberta_heads,
    parts={"pooler": "pooled_output", "masked_lm_head": "mlm_logits"},
    template=Template(
        "<s> A </s>", "<s> A </s> </s> B </s>", "<pad>", segments=False
    ),
    hugging_face=HuggingFaceNames(
        prefix="roberta.",
        encoder=("embeddings.", "encoder.", "pooler."),
        task_arrays=("classifier.", "qa_outputs."),
        buffers=(
            "roberta.embeddings.position_ids",
            "roberta.embeddings.token_type_ids",
        ),
        copies={
            "lm_head.decoder.weight": (
                "roberta.embeddings.word_embeddings.weight"
            ),
            "lm_head.decoder.bias": "lm_head.bias",
        },
        architectures=(
            ("RobertaForMaskedLM", {"masked_lm_head"}),
            ("RobertaModel", set()),
        ),
        config={"bos_token_id": 0, "eos_token_id": 2},
    ),
    task_heads={
        "classifier": HeadKind(
            "first_token",
            _first_token_head,
            "RobertaForSequenceClassification",
        ),
        "token_classifier": HeadKind(
            "sequence_output", _task_head, "RobertaForTokenClassification"
        ),
        "choice_scorer": HeadKind(
            "pooled_output", _task_head, "RobertaForMultipleChoice"
        ),
        "span_classifier": HeadKind(
            "sequence_output", _span_head, "RobertaForQuestionAnswering"
        ),
    },
    paper="1907.11692",
    tokenizer="byte_bpe",
)
