"""MPNet: RoBERTa with a relative position bias."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert import features
from keras_bert.checks import Check
from keras_bert.layers.attention.relative_bias import RelativeBias
from keras_bert.models.families.roberta import model as roberta
from keras_bert.models.layer_arguments import initializer


@dataclasses.dataclass(frozen=True)
class MPNetConfig(roberta.RobertaConfig):
    """Configuration of an MPNet model.

    Args:
        relative_attention_num_buckets: number of buckets of the relative
            position bias.
        **kwargs: the keys of `RobertaConfig`; `type_vocab_size` is 0.

    References:
        [MPNet](https://arxiv.org/abs/2004.09297), section 3.1
    """

    type_vocab_size: Annotated[int, Check(checks.at_least, 0)] = 0
    relative_attention_num_buckets: int = 32

    family = "MPNet"
    model_type = "mpnet"
    size_keys = {
        **roberta.RobertaConfig.size_keys,
        "B": "relative_attention_num_buckets",
    }
    # transformers ignores the config and always uses these values.
    required_values = {
        **roberta.RobertaConfig.required_values,
        "type_vocab_size": 0,
        "relative_attention_num_buckets": 32,
        "pad_token_id": 1,
    }
    transformers_defaults = {
        "vocab_size": 30527,
        "max_position_embeddings": 512,
        "layer_norm_eps": 1e-12,
    }


def mpnet_backbone(config):
    """Build the layers of the encoder."""
    bias = RelativeBias(
        config.num_attention_heads,
        config.relative_attention_num_buckets,
        embeddings_initializer=initializer(config),
        name="relative_positions",
    )
    return roberta.roberta_backbone(
        config,
        context=lambda inputs: {
            "score_bias": bias(inputs[features.INPUT_IDS.name])
        },
        context_layers=[bias],
    )


FAMILY = dataclasses.replace(
    roberta.FAMILY,
    config=MPNetConfig,
    backbone=mpnet_backbone,
    paper="2004.09297",
    tokenizer="wordpiece",
)
