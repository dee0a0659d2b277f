"""Configuration of DeBERTa v1 with the keys of the Hugging Face Hub."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.config import EncoderConfig

# Position-to-content and content-to-position attention.
_TYPES = ["p2c", "c2p"]


@dataclasses.dataclass(frozen=True)
class DebertaConfig(EncoderConfig):
    """Configuration of a DeBERTa v1 model.

    The defaults are from the base model.

    Args:
        max_position_embeddings: maximum sequence length, and maximum relative
            distance. Larger distances are clipped to it.
        pooler_dropout: dropout before the dense layer of a classifier.
        enhanced_mask_decoder: whether the masked-LM head adds absolute
            positions. The published models were trained with it, but their
            files lack this key, and transformers ignores it.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`;
            `type_vocab_size` is 0.

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654)
    """

    hidden_act: str = "gelu_erf"
    max_position_embeddings: Annotated[int, Check(checks.at_least, 3)] = 512
    type_vocab_size: Annotated[int, Check(checks.at_least, 0)] = 0
    pooler_dropout: float = 0.0
    enhanced_mask_decoder: bool = False
    layer_norm_eps: float = 1e-7

    family = "DeBERTa"
    model_type = "deberta"
    plain_gelu = "gelu_erf"
    informative_keys = frozenset(
        ("cls_dropout", "legacy", "padding_idx", "position_embedding_type")
    )
    required_values = {
        "relative_attention": True,
        "position_biased_input": False,
        "max_relative_positions": -1,
        "type_vocab_size": 0,
        "pos_att_type": _TYPES,
        "pooler_hidden_act": "gelu",
    }
    transformers_defaults = {
        "vocab_size": 50265,
        "relative_attention": False,
        "position_biased_input": True,
        "pos_att_type": None,
    }

    @property
    def derived_values(self):
        width = self.hidden_size
        return {
            "attention_head_size": width // self.num_attention_heads,
            "embedding_size": width,
            "pooler_hidden_size": width,
            "talking_head": False,
        }

    @classmethod
    def _parse(cls, values):
        values = dict(values)
        types = values.get("pos_att_type", _TYPES)
        types = types.split("|") if isinstance(types, str) else types
        if types in ([*_TYPES], [*_TYPES[::-1]]):
            values["pos_att_type"] = _TYPES
        limits = ("max_relative_positions", "max_position_embeddings")
        if values.get(limits[0]) == values.get(limits[1], 512):
            values[limits[0]] = -1  # -1 means `max_position_embeddings`.
        return super()._parse(values)

    def to_dict(self):
        return {**super().to_dict(), **self.required_values}
