"""DeBERTa v2 and v3, wired from layers: content and distance scored apart."""

from keras_bert import features
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.convolved_block import ConvolvedBlock
from keras_bert.layers.disentangled_attention import DisentangledAttention
from keras_bert.layers.feed_forward import FeedForward
from keras_bert.layers.flat_dense import DropoutDense
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.post_norm_block import PostNormBlock
from keras_bert.layers.relative_table import RelativeTable
from keras_bert.layers.word_embeddings import WordEmbeddings
from keras_bert.models.backbone import Backbone
from keras_bert.models.backbone import encoder_inputs
from keras_bert.models.deberta_v2_config import DebertaV2Config
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import initializer
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


def deberta_v2_backbone(config):
    """Makes the layers of the encoder."""
    table = RelativeTable(
        2 * config.position_buckets,
        config.hidden_size,
        _layer_norm(config),
        embeddings_initializer=initializer(config),
        name="relative_positions",
    )
    return Backbone(
        WordEmbeddings(
            config.vocab_size,
            config.hidden_size,
            _layer_norm(config),
            dropout=config.hidden_dropout_prob,
            embeddings_initializer=initializer(config),
            name="embeddings",
        ),
        [_block(config, index) for index in range(config.num_hidden_layers)],
        inputs=encoder_inputs((features.INPUT_IDS, features.INPUT_MASK)),
        about=lambda inputs: {
            "relative_table": table(inputs[features.INPUT_IDS.name])
        },
        about_layers=[table],
    )


def _block(config, index):
    arguments = layer_arguments(config)
    attention = DisentangledAttention(
        **arguments["attention"],
        num_buckets=config.position_buckets,
        max_distance=config.max_position_embeddings,
        output_dropout=config.hidden_dropout_prob,
        name="self_attention",
    )
    feed_forward = FeedForward(**arguments["feed_forward"], name="feed_forward")
    pieces = attention, feed_forward
    common = {
        "layer_norm_epsilon": config.layer_norm_eps,
        "name": f"block_{index}",
    }
    if index or not config.conv_kernel_size:
        return PostNormBlock(*pieces, **common)
    return ConvolvedBlock(
        *pieces,
        config.conv_kernel_size,
        dropout=config.hidden_dropout_prob,
        **common,
    )


def _layer_norm(config):
    return LayerNorm(config.layer_norm_eps, dtype="float32", name="layer_norm")


def _transform(config):
    """The layer that stands in the place of BERT's pooler."""
    arguments = layer_arguments(config)["pooler"] | {"activation": gelu_erf}
    return DropoutDense(
        dropout=config.pooler_dropout, **arguments, name="dense"
    )


_OF_FIRST = HeadKind("first_token", transform=_transform)
FAMILY = Family(
    config=DebertaV2Config,
    backbone=deberta_v2_backbone,
    paper="2111.09543",
    parts=("masked_lm_head",),
    task_heads={
        **TASK_HEADS,
        "classifier": _OF_FIRST,
        "choice_scorer": _OF_FIRST,
    },
    template=Template(pair="cls A sep B sep", segments=False),
    tokenizer="sentencepiece",
    # The head that was published, which is not that of its first release.
    published_keys={"legacy": False},
)
