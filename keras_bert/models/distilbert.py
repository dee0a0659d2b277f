"""DistilBERT, wired from layers: BERT of half the depth, without segments."""

import dataclasses

import keras

from keras_bert import features
from keras_bert.config import StrictConfig
from keras_bert.layers.activations import get_activation
from keras_bert.layers.feed_forward import FeedForward
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.post_norm_block import PostNormBlock
from keras_bert.layers.self_attention import SelfAttention
from keras_bert.layers.task_head import TaskHead
from keras_bert.layers.token_embeddings import TokenEmbeddings
from keras_bert.models.backbone import Backbone
from keras_bert.models.backbone import encoder_inputs
from keras_bert.models.family import Family
from keras_bert.models.family import HeadKind
from keras_bert.models.family import HuggingFaceNames
from keras_bert.template import Template

# Published, as `seq_classif_dropout` and `qa_dropout`, always with these.
_CLASSIFIER_DROPOUT = 0.2
_SPAN_DROPOUT = 0.1


@dataclasses.dataclass(frozen=True)
class DistilBertConfig(StrictConfig):
    """Sizes and rates of a DistilBERT, under the published keys.

    Args:
        vocab_size: int, number of word pieces.
        dim: int, width of the token vectors.
        n_layers: int, number of Transformer blocks.
        n_heads: int, must divide `dim`.
        hidden_dim: int, width inside the feed-forward layers.
        activation: "gelu_erf" (published as "gelu"), "gelu_tanh", "relu" or
            "tanh".
        dropout: float, after embeddings and feed-forward layers.
        attention_dropout: float, of attention weights.
        max_position_embeddings: int, longest sequence.
        initializer_range: float, standard deviation of initial weights.

    Raises:
        ValueError: a value has the wrong type, is out of range or does not
            divide.

    References:
        [DistilBERT](https://arxiv.org/abs/1910.01108), section 3
    """

    vocab_size: int
    dim: int = 768
    n_layers: int = 6
    n_heads: int = 12
    hidden_dim: int = 3072
    activation: str = "gelu_erf"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    max_position_embeddings: int = 512
    initializer_range: float = 0.02

    family = "DistilBERT"
    model_type = "distilbert"
    size_keys = {
        "V": "vocab_size",
        "P": "max_position_embeddings",
        "H": "dim",
        "I": "hidden_dim",
        "L": "n_layers",
        "N": "n_heads",
    }
    # How the positions were first filled makes no other layer of them.
    informative_keys = frozenset(
        ("qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds")
    )
    required_values = {"tie_weights_": True}
    activation_key = "activation"
    plain_gelu = "gelu_erf"


def distilbert_backbone(config):
    """The layers of the encoder, as a `Backbone`."""
    words = _layer_words(config)
    return Backbone(
        TokenEmbeddings(**words["embeddings"], name="embeddings"),
        [
            PostNormBlock(
                SelfAttention(**words["attention"], name="self_attention"),
                FeedForward(**words["feed_forward"], name="feed_forward"),
                name=f"block_{index}",
            )
            for index in range(config.n_layers)
        ],
        inputs=encoder_inputs((features.INPUT_IDS, features.INPUT_MASK)),
    )


def distilbert_heads(config, embeddings):
    """The layers of the pre-training head, for `add_heads`."""
    words = _layer_words(config)["masked_lm_head"]
    head = MaskedLMHead(embeddings, **words, name="masked_lm_head")
    return {"masked_lm_head": head}


def _first_token_head(config, num_outputs, name):
    """A head behind a layer of its own, in the place of BERT's pooler."""
    transform = FlatDense(
        **_layer_words(config)["pre_classifier"], name="pre_classifier"
    )
    return _head(config, num_outputs, name, _CLASSIFIER_DROPOUT, transform)


def _token_head(config, num_outputs, name):
    return _head(config, num_outputs, name, config.dropout)


def _span_head(config, num_outputs, name):
    return _head(config, num_outputs, name, _SPAN_DROPOUT)


def _head(config, num_outputs, name, dropout, transform=None):
    initializer = _layer_words(config)["pre_classifier"]["kernel_initializer"]
    return TaskHead(
        num_outputs,
        transform=transform,
        dropout=dropout,
        kernel_initializer=initializer,
        name=name,
    )


def _layer_words(config):
    """The config in the words of the layers."""
    initializer = keras.initializers.TruncatedNormal(
        stddev=config.initializer_range
    )
    activation = get_activation(config.activation)
    return {
        "embeddings": {
            "vocab_size": config.vocab_size,
            "hidden_size": config.dim,
            "max_position_embeddings": config.max_position_embeddings,
            "dropout": config.dropout,
            "embeddings_initializer": initializer,
        },
        # Unlike BERT's, its output is not dropped.
        "attention": {
            "hidden_size": config.dim,
            "num_heads": config.n_heads,
            "dropout": config.attention_dropout,
            "kernel_initializer": initializer,
        },
        "feed_forward": {
            "hidden_size": config.dim,
            "intermediate_size": config.hidden_dim,
            "activation": activation,
            "dropout": config.dropout,
            "kernel_initializer": initializer,
        },
        "masked_lm_head": {
            "activation": activation,
            "kernel_initializer": initializer,
        },
        "pre_classifier": {
            "units": config.dim,
            "activation": "relu",
            "kernel_initializer": initializer,
        },
    }


FAMILY = Family(
    config=DistilBertConfig,
    backbone=distilbert_backbone,
    heads=distilbert_heads,
    parts={"masked_lm_head": "mlm_logits"},
    template=Template(
        "[CLS] A [SEP]", "[CLS] A [SEP] B [SEP]", "[PAD]", segments=False
    ),
    hugging_face=HuggingFaceNames(
        prefix="distilbert.",
        encoder=("embeddings.", "transformer."),
        task_arrays=("pre_classifier.", "classifier.", "qa_outputs."),
        buffers=("distilbert.embeddings.position_ids",),
        copies={
            "vocab_projector.weight": (
                "distilbert.embeddings.word_embeddings.weight"
            )
        },
        architectures=(
            ("DistilBertForMaskedLM", {"masked_lm_head"}),
            ("DistilBertModel", set()),
        ),
        config={"tie_weights_": True, "sinusoidal_pos_embds": False},
    ),
    task_heads={
        "classifier": HeadKind(
            "first_token",
            _first_token_head,
            "DistilBertForSequenceClassification",
        ),
        "token_classifier": HeadKind(
            "sequence_output", _token_head, "DistilBertForTokenClassification"
        ),
        "choice_scorer": HeadKind(
            "first_token", _first_token_head, "DistilBertForMultipleChoice"
        ),
        "span_classifier": HeadKind(
            "sequence_output", _span_head, "DistilBertForQuestionAnswering"
        ),
    },
    paper="1910.01108",
)
