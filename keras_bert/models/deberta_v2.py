"""DeBERTa v2 and v3, wired from layers: content and distance scored apart."""

import dataclasses

from keras_bert import features
from keras_bert.config import EncoderConfig
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
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import initializer
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template

# From content to position and the other way round.
_KINDS = ["p2c", "c2p"]


@dataclasses.dataclass(frozen=True)
class DebertaV2Config(EncoderConfig):
    """Sizes and rates of a DeBERTa v2 or v3.

    The defaults are those of the base model, version 3.

    Args:
        max_position_embeddings: int, longest sequence, and the distance from
            which on all are one.
        position_buckets: int, rows of the table of distances, in each
            direction.
        conv_kernel_size: int, how many tokens the convolution beside the
            first block sees; 0 for none.
        pooler_dropout: float, before the dense layer of a classifier.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`;
            `type_vocab_size` is 0.

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654),
        [DeBERTaV3](https://arxiv.org/abs/2111.09543)
    """

    hidden_act: str = "gelu_erf"
    type_vocab_size: int = dataclasses.field(default=0, metadata={"least": 0})
    position_buckets: int = 256
    conv_kernel_size: int = dataclasses.field(default=0, metadata={"least": 0})
    pooler_dropout: float = 0.0
    layer_norm_eps: float = 1e-7

    family = "DeBERTa"
    model_type = "deberta-v2"
    size_keys = {
        **EncoderConfig.size_keys,
        **{"B": "position_buckets", "K": "conv_kernel_size"},
    }
    plain_gelu = "gelu_erf"
    informative_keys = frozenset(("cls_dropout", "legacy", "padding_idx"))
    required_values = {
        **{"relative_attention": True, "position_biased_input": False},
        **{"share_att_key": True, "norm_rel_ebd": "layer_norm"},
        **{"max_relative_positions": -1, "type_vocab_size": 0},
        **{"pos_att_type": _KINDS, "pooler_hidden_act": "gelu"},
        **{"conv_act": "gelu", "conv_groups": 1},
    }
    published_widths = {384: "xsmall", 768: "small or base"}
    published_widths |= {1024: "large", 1536: "xlarge"}
    published_vocabularies = {128100: "the DeBERTa models"}

    @classmethod
    def from_dict(cls, values):
        values = dict(values)
        kinds = values.get("pos_att_type", _KINDS)
        kinds = kinds.split("|") if isinstance(kinds, str) else kinds
        if isinstance(kinds, list) and sorted(kinds) == sorted(_KINDS):
            values["pos_att_type"] = _KINDS
        if not values.get("conv_kernel_size"):
            values.pop("conv_act", None)
        told = [
            values.pop(key, None)
            for key in ("attention_head_size", "pooler_hidden_size")
        ]
        config = super().from_dict(values)
        width = config.hidden_size
        sizes = [width // config.num_attention_heads, width]
        if any(
            x not in (None, size) for x, size in zip(told, sizes, strict=True)
        ):
            raise ValueError(
                "`attention_head_size` and `pooler_hidden_size` must be "
                f"{sizes}, as the other sizes say. Received: {told}."
            )
        return config

    def to_dict(self):
        return {**super().to_dict(), **self.required_values}


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
