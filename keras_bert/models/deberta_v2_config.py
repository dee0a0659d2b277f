"""The config of DeBERTa v2 and v3, in the spellings of the Hub."""

import dataclasses

from keras_bert.models.deberta_config import DebertaConfig


@dataclasses.dataclass(frozen=True)
class DebertaV2Config(DebertaConfig):
    """Sizes and rates of a DeBERTa v2 or v3.

    The defaults are those of the base model, version 3.

    Args:
        position_buckets: int, rows of the table of distances, in each
            direction.
        conv_kernel_size: int, how many tokens the convolution beside the
            first block sees; 0 for none.
        **kwargs: the keys of `DebertaConfig`.

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654),
        [DeBERTaV3](https://arxiv.org/abs/2111.09543)
    """

    position_buckets: int = 256
    conv_kernel_size: int = dataclasses.field(default=0, metadata={"least": 0})

    model_type = "deberta-v2"
    size_keys = {
        **DebertaConfig.size_keys,
        **{"B": "position_buckets", "K": "conv_kernel_size"},
    }
    required_values = {
        **DebertaConfig.required_values,
        **{"share_att_key": True, "norm_rel_ebd": "layer_norm"},
        **{"conv_act": "gelu", "conv_groups": 1},
    }
    published_widths = {384: "xsmall", 768: "small or base"}
    published_widths |= {1024: "large", 1536: "xlarge"}
    published_vocabularies = {128100: "the DeBERTa models"}

    def generator(self, share=0.5):
        """The config of a generator: as wide, a share of the depth."""
        depth = max(1, round(share * self.num_hidden_layers))
        return dataclasses.replace(
            self, num_hidden_layers=depth, enhanced_mask_decoder=True
        )

    @classmethod
    def from_dict(cls, values):
        values = dict(values)
        if not values.get("conv_kernel_size"):
            values.pop("conv_act", None)
        return super().from_dict(values)
