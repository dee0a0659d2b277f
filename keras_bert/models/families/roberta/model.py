"""RoBERTa: BERT with byte-level BPE and positions after the padding id."""

import dataclasses
import functools

from keras_bert import checks
from keras_bert.config import EncoderConfig
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.embeddings.roberta_embeddings import RobertaEmbeddings
from keras_bert.models.family import Family
from keras_bert.models.heads import masked_lm_only
from keras_bert.models.layer_arguments import dense_transform
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.layer_arguments import transformer_backbone
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class RobertaConfig(EncoderConfig):
    """Configuration of a RoBERTa model.

    Args:
        max_position_embeddings: number of position embeddings. With
            `pad_token_id` 1 it is two more than the maximum sequence length.
        type_vocab_size: number of segment embeddings. Only the first one is
            used.
        pad_token_id: id of the padding token. The position ids of other
            tokens start at `pad_token_id + 1`.
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
        "vocab_size": 50265,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
    }
    plain_gelu = "gelu_erf"

    def __post_init__(self):
        super().__post_init__()
        # The positions of tokens begin at `pad_token_id` + 1.
        checks.at_least(
            self.pad_token_id + 2,
            max_position_embeddings=self.max_position_embeddings,
        )

    @property
    def max_seq_length(self):
        return self.max_position_embeddings - self.pad_token_id - 1


def roberta_backbone(config, **pieces):
    """Build the layers of the encoder; `pieces` are arguments of `Backbone`."""
    arguments = layer_arguments(config)
    embeddings = RobertaEmbeddings(
        **arguments["embeddings"], pad_id=config.pad_token_id, name="embeddings"
    )
    return transformer_backbone(config, arguments, embeddings, **pieces)


def _classifier_transform(config):
    return dense_transform(config, config.hidden_dropout_prob)


FAMILY = Family(
    config=RobertaConfig,
    backbone=roberta_backbone,
    # Always the erf form, even if the blocks use another activation.
    heads=functools.partial(masked_lm_only, activation=gelu_erf),
    paper="1907.11692",
    task_heads={
        **TASK_HEADS,
        "classifier": HeadKind("first_token", transform=_classifier_transform),
    },
    template=Template(pair="cls A sep sep B sep", segments=False),
    tokenizer="byte_bpe",
    published_keys={"bos_token_id": 0, "eos_token_id": 2},
)
