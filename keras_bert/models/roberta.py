"""RoBERTa, wired from layers: BERT whose positions skip padding."""

import dataclasses

from keras_bert import features
from keras_bert.config import EncoderConfig
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.flat_dense import DropoutDense
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.roberta_embeddings import RobertaEmbeddings
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock
from keras_bert.models.backbone import Backbone
from keras_bert.models.backbone import encoder_inputs
from keras_bert.models.family import Family
from keras_bert.models.heads import masked_lm_head
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class RobertaConfig(EncoderConfig):
    """Sizes and rates of a RoBERTa.

    Args:
        max_position_embeddings: int, rows of the table of positions: two
            more than the longest sequence where `pad_token_id` is 1.
        type_vocab_size: int, rows of the table of segments, of which only
            the first is used.
        pad_token_id: int, the id of padding, which counts no position.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 2
    """

    hidden_act: str = "gelu_erf"
    max_position_embeddings: int = 514
    type_vocab_size: int = 1
    layer_norm_eps: float = 1e-5
    pad_token_id: int = 1

    family = "RoBERTa"
    model_type = "roberta"
    informative_keys = frozenset(("classifier_dropout",))
    transformers_defaults = {
        **{"vocab_size": 50265, "max_position_embeddings": 512},
        **{"type_vocab_size": 2, "layer_norm_eps": 1e-12},
    }
    plain_gelu = "gelu_erf"

    def __post_init__(self):
        super().__post_init__()
        if self.max_seq_length < 1:
            raise ValueError(
                "`max_position_embeddings` must be greater than "
                "`pad_token_id` + 1, where the positions of tokens begin. "
                "Received: max_position_embeddings="
                f"{self.max_position_embeddings}, "
                f"pad_token_id={self.pad_token_id}."
            )

    @property
    def max_seq_length(self):
        return self.max_position_embeddings - self.pad_token_id - 1


def roberta_backbone(config):
    """Makes the layers of the encoder."""
    arguments = layer_arguments(config)
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
    )


def roberta_heads(config, embeddings):
    """Makes the layer of the pre-training head, by part."""
    # The erf form, whatever the blocks have.
    head = masked_lm_head(config, embeddings, activation=gelu_erf)
    return {"masked_lm_head": head}


def _classifier_transform(config):
    """The layer that a classifier has in the place of BERT's pooler."""
    return DropoutDense(
        dropout=config.hidden_dropout_prob,
        **layer_arguments(config)["pooler"],
        name="dense",
    )


FAMILY = Family(
    config=RobertaConfig,
    backbone=roberta_backbone,
    heads=roberta_heads,
    paper="1907.11692",
    task_heads={
        **TASK_HEADS,
        "classifier": HeadKind("first_token", transform=_classifier_transform),
    },
    template=Template(pair="cls A sep sep B sep", segments=False),
    tokenizer="byte_bpe",
    published_keys={"bos_token_id": 0, "eos_token_id": 2},
)
