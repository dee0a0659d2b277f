"""MPNet, wired from layers: RoBERTa with a bias for each distance."""

import dataclasses

from keras_bert import features
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.relative_bias import RelativeBias
from keras_bert.layers.roberta_embeddings import RobertaEmbeddings
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock
from keras_bert.models import roberta
from keras_bert.models.backbone import Backbone
from keras_bert.models.backbone import encoder_inputs
from keras_bert.models.layer_arguments import initializer
from keras_bert.models.layer_arguments import layer_arguments


@dataclasses.dataclass(frozen=True)
class MPNetConfig(roberta.RobertaConfig):
    """Sizes and rates of an MPNet.

    Args:
        relative_attention_num_buckets: int, rows of the table of distances.
        **kwargs: the keys of `RobertaConfig`; `type_vocab_size` is 0.

    References:
        [MPNet](https://arxiv.org/abs/2004.09297), section 3.1
    """

    type_vocab_size: int = dataclasses.field(default=0, metadata={"least": 0})
    relative_attention_num_buckets: int = 32

    family = "MPNet"
    model_type = "mpnet"
    size_keys = {
        **roberta.RobertaConfig.size_keys,
        "B": "relative_attention_num_buckets",
    }
    # transformers computes with these, whatever the config says.
    required_values = {
        **roberta.RobertaConfig.required_values,
        **{"type_vocab_size": 0, "relative_attention_num_buckets": 32},
        "pad_token_id": 1,
    }
    transformers_defaults = {
        **{"vocab_size": 30527, "max_position_embeddings": 512},
        "layer_norm_eps": 1e-12,
    }


def mpnet_backbone(config):
    """Makes the layers of the encoder."""
    arguments = layer_arguments(config)
    bias = RelativeBias(
        config.num_attention_heads,
        config.relative_attention_num_buckets,
        embeddings_initializer=initializer(config),
        name="relative_positions",
    )
    return Backbone(
        RobertaEmbeddings(
            **arguments["embeddings"],
            pad_id=config.pad_token_id,
            name="embeddings",
        ),
        [
            TransformerEncoderBlock(**arguments["block"], name=f"block_{index}")
            for index in range(config.num_hidden_layers)
        ],
        pooler=FlatDense(**arguments["pooler"], name="pooler"),
        inputs=encoder_inputs((features.INPUT_IDS, features.INPUT_MASK)),
        about=lambda inputs: {
            "score_bias": bias(inputs[features.INPUT_IDS.name])
        },
        about_layers=[bias],
    )


FAMILY = dataclasses.replace(
    roberta.FAMILY,
    config=MPNetConfig,
    backbone=mpnet_backbone,
    paper="2004.09297",
    tokenizer="wordpiece",
)
