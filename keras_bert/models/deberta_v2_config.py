"""The config of DeBERTa v2 and v3, in the spellings of the Hub."""

import dataclasses

from keras_bert.config import EncoderConfig

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
