"""The config of DeBERTa's first version, in the spellings of the Hub."""

import dataclasses

from keras_bert.config import EncoderConfig

# From content to position and the other way round.
_KINDS = ["p2c", "c2p"]


@dataclasses.dataclass(frozen=True)
class DebertaConfig(EncoderConfig):
    """Sizes and rates of a DeBERTa of the first version.

    The defaults are those of the base model.

    Args:
        max_position_embeddings: int, longest sequence, and the distance from
            which on all are one.
        pooler_dropout: float, before the dense layer of a classifier.
        enhanced_mask_decoder: bool, whether masked tokens are predicted from
            states that know their places. Published files do not say so, though
            their models were trained so; transformers ignores it.
        enhanced_mask_decoder: bool, whether masked tokens are predicted from
            states that know their positions. Published files do not say so,
            though their models were trained so, and transformers ignores it.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`;
            `type_vocab_size` is 0.

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654)
    """

    hidden_act: str = "gelu_erf"
    type_vocab_size: int = dataclasses.field(default=0, metadata={"least": 0})
    pooler_dropout: float = 0.0
    enhanced_mask_decoder: bool = False
    layer_norm_eps: float = 1e-7

    family = "DeBERTa"
    model_type = "deberta"
    plain_gelu = "gelu_erf"
    informative_keys = frozenset(("cls_dropout", "legacy", "padding_idx"))
    required_values = {
        **{"relative_attention": True, "position_biased_input": False},
        **{"max_relative_positions": -1, "type_vocab_size": 0},
        **{"pos_att_type": _KINDS, "pooler_hidden_act": "gelu"},
    }
    published_widths = {768: "base", 1024: "large"}
    published_vocabularies = {50265: "the DeBERTa models"}

    @classmethod
    def from_dict(cls, values):
        values = dict(values)
        kinds = values.get("pos_att_type", _KINDS)
        kinds = kinds.split("|") if isinstance(kinds, str) else kinds
        if isinstance(kinds, list) and sorted(kinds) == sorted(_KINDS):
            values["pos_att_type"] = _KINDS
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
