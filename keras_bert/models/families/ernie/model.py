"""ERNIE: BERT with optional task-type embeddings."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.config import EncoderConfig
from keras_bert.layers.embeddings.ernie_embeddings import ErnieEmbeddings
from keras_bert.models.families.bert.model import bert_heads
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.layer_arguments import transformer_backbone


@dataclasses.dataclass(frozen=True)
class ErnieConfig(EncoderConfig):
    """Config of an ERNIE 1.0 or 2.0 model.

    Args:
        use_task_id: whether the embeddings include task-type embeddings.
        task_type_vocab_size: number of task types. Only the first one is used.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`.

    References:
        [ERNIE](https://arxiv.org/abs/1904.09223), section 3;
        [ERNIE 2.0](https://arxiv.org/abs/1907.12412), section 3
    """

    hidden_act: str = "gelu_erf"
    use_task_id: Annotated[bool, Check(checks.flag)] = False
    task_type_vocab_size: int = 3

    family = "ERNIE"
    model_type = "ernie"
    size_keys = {**EncoderConfig.size_keys, "T": "task_type_vocab_size"}
    informative_keys = frozenset(("classifier_dropout",))
    required_values = {
        **EncoderConfig.required_values,
        "pool_act": "tanh",
        "task_id": 0,
    }
    transformers_defaults = {"vocab_size": 30522}
    plain_gelu = "gelu_erf"


def ernie_backbone(config):
    """Build the layers of the encoder."""
    arguments = layer_arguments(config)
    embeddings = ErnieEmbeddings(
        **arguments["embeddings"],
        task_type_vocab_size=config.task_type_vocab_size
        if config.use_task_id
        else 0,
        name="embeddings",
    )
    return transformer_backbone(config, arguments, embeddings)


FAMILY = Family(
    config=ErnieConfig,
    backbone=ernie_backbone,
    heads=bert_heads,
    paper="1904.09223",
    parts=("pooler", "masked_lm_head", "nsp_head"),
)
