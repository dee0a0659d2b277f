"""DistilBERT: BERT of half the depth, without segments and pooler."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.config import StrictConfig
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.blocks.post_norm_block import PostNormBlock
from keras_bert.layers.embeddings.token_embeddings import TokenEmbeddings
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.models.backbone import Backbone
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.layer_arguments import self_attention
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class DistilBertConfig(StrictConfig):
    """Configuration of a DistilBERT model, with the published keys.

    Most keys correspond to keys of `BertConfig` with different names.

    Args:
        vocab_size: as in `BertConfig`.
        dim: `hidden_size`.
        n_layers: `num_hidden_layers`.
        n_heads: `num_attention_heads`.
        hidden_dim: `intermediate_size`.
        activation: `hidden_act`.
        dropout: dropout after embeddings and feed-forward layers.
        attention_dropout: `attention_probs_dropout_prob`.
        max_position_embeddings: as in `BertConfig`.
        initializer_range: as in `BertConfig`.
        attention_window: as in `BertConfig`.

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
    attention_window: Annotated[int, Check(checks.even, 0)] = 0

    family = "DistilBERT"
    model_type = "distilbert"
    size_keys = {
        **StrictConfig.size_keys,
        "H": "dim",
        "I": "hidden_dim",
        "L": "n_layers",
        "N": "n_heads",
    }
    # `sinusoidal_pos_embds` only affects the initial position embeddings.
    informative_keys = frozenset(
        ("qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds")
    )
    transformers_defaults = {"vocab_size": 30522}
    required_values = {"tie_weights_": True}
    activation_key = "activation"
    dropout_keys = "dropout", "attention_dropout", "dropout"
    plain_gelu = "gelu_erf"


def distilbert_backbone(config):
    """Build the layers of the encoder."""
    arguments = layer_arguments(config)
    blocks = [
        # Unlike BERT, the attention output has no dropout.
        PostNormBlock(
            self_attention(config.attention_window, **arguments["attention"]),
            FeedForward(**arguments["feed_forward"], name="feed_forward"),
            name=f"block_{index}",
        )
        for index in range(config.n_layers)
    ]
    embeddings = TokenEmbeddings(**arguments["embeddings"], name="embeddings")
    return Backbone(embeddings, blocks)


def _pre_classifier(config):
    """Create the dense layer that replaces BERT's pooler."""
    arguments = layer_arguments(config)["pooler"] | {"activation": "relu"}
    return FlatDense(**arguments, name="pre_classifier")


FAMILY = Family(
    config=DistilBertConfig,
    backbone=distilbert_backbone,
    paper="1910.01108",
    parts=("masked_lm_head",),
    # Published configs always have these values in `seq_classif_dropout` and
    # `qa_dropout`.
    task_heads={
        "classifier": HeadKind("first_token", 0.2, _pre_classifier),
        "token_classifier": HeadKind("sequence_output"),
        "choice_scorer": HeadKind("first_token", 0.2, _pre_classifier),
        "span_classifier": HeadKind("sequence_output", 0.1),
    },
    template=Template(pair="cls A sep B sep", segments=False),
    published_keys={"tie_weights_": True, "sinusoidal_pos_embds": False},
)
