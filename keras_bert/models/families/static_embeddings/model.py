"""Static embeddings with one context-independent vector per word piece."""

import dataclasses

from keras_bert.config import StrictConfig
from keras_bert.layers.embeddings.token_embeddings import WordEmbeddings
from keras_bert.models.backbone import Backbone
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import initializer
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class StaticEmbeddingsConfig(StrictConfig):
    """Configuration of static embeddings.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the vectors.
        max_position_embeddings: maximum length of a text in word pieces.
            There are no position embeddings.

    References:
        [model2vec](https://github.com/MinishLab/model2vec)
    """

    vocab_size: int
    hidden_size: int = 256
    max_position_embeddings: int = 512

    family = "StaticEmbeddings"
    model_type = "static-embeddings"
    informative_keys = frozenset(("hidden_act",))
    hidden_act = "gelu_erf"
    hidden_dropout_prob = attention_probs_dropout_prob = 0.0
    initializer_range = 0.02
    num_hidden_layers = 0
    num_attention_heads = intermediate_size = 1


def static_backbone(config):
    """Build an encoder that consists of the embedding table only."""
    embeddings = WordEmbeddings(
        config.vocab_size,
        config.hidden_size,
        dropout=config.hidden_dropout_prob,
        embeddings_initializer=initializer(config),
        name="embeddings",
    )
    return Backbone(embeddings, [])


FAMILY = Family(
    config=StaticEmbeddingsConfig,
    backbone=static_backbone,
    paper="https://github.com/MinishLab/model2vec",
    heads=lambda config, embeddings: {},
    parts=(),
    task_heads={
        "classifier": HeadKind("mean"),
        "token_classifier": HeadKind("sequence_output"),
        "choice_scorer": HeadKind("mean"),
        "span_classifier": HeadKind("sequence_output"),
    },
    # Special tokens have no meaning without context.
    template=Template(single="A", pair="A B", segments=False),
)
