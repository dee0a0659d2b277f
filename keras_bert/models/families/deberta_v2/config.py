"""Configuration of DeBERTa v2 and v3 with the keys of the Hugging Face Hub."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.models.families.deberta.config import DebertaConfig


@dataclasses.dataclass(frozen=True)
class DebertaV2Config(DebertaConfig):
    """Configuration of a DeBERTa v2 or v3 model.

    The defaults are from the base model, version 3.

    Args:
        position_buckets: number of relative position embeddings per
            direction.
        conv_kernel_size: width in tokens of the convolution of the first
            block; 0 for no convolution.
        **kwargs: the keys of `DebertaConfig`.

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654),
        [DeBERTaV3](https://arxiv.org/abs/2111.09543)
    """

    position_buckets: int = 256
    conv_kernel_size: Annotated[int, Check(checks.at_least, 0)] = 0

    model_type = "deberta-v2"
    size_keys = {
        **DebertaConfig.size_keys,
        "B": "position_buckets",
        "K": "conv_kernel_size",
    }
    required_values = {
        **DebertaConfig.required_values,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "conv_act": "gelu",
        "conv_groups": 1,
    }
    transformers_defaults = {
        **DebertaConfig.transformers_defaults,
        "vocab_size": 128100,
        "hidden_size": 1536,
        "num_hidden_layers": 24,
        "num_attention_heads": 24,
        "intermediate_size": 6144,
        "position_buckets": -1,
        "share_att_key": False,
        "norm_rel_ebd": "none",
        "conv_act": "tanh",
    }

    def __post_init__(self):
        super().__post_init__()
        most = 2 * self.max_position_embeddings - 3
        checks.between(2, most, position_buckets=self.position_buckets)
        if self.conv_kernel_size and self.conv_kernel_size % 2 == 0:
            raise ValueError(
                "`conv_kernel_size` must be odd, or 0 for no convolution. "
                f"Received: conv_kernel_size={self.conv_kernel_size}."
            )

    def generator(self, share=0.5):
        """Return the config of a generator with `share` times the depth."""
        depth = max(1, round(share * self.num_hidden_layers))
        return dataclasses.replace(
            self, num_hidden_layers=depth, enhanced_mask_decoder=True
        )

    @classmethod
    def _parse(cls, values):
        values = dict(values)
        if not values.get("conv_kernel_size"):
            values.pop("conv_act", None)
        return super()._parse(values)
