"""ALBERT: BERT with shared blocks and factorized embeddings."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.config import EncoderConfig
from keras_bert.layers.embeddings.bert_embeddings import BertEmbeddings
from keras_bert.layers.embeddings.factorized_embeddings import (
    FactorizedEmbeddings,
)
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.heads.task_head import TaskHead
from keras_bert.models.backbone import Backbone
from keras_bert.models.family import Family
from keras_bert.models.heads import masked_lm_head
from keras_bert.models.layer_arguments import encoder_block
from keras_bert.models.layer_arguments import layer_arguments


@dataclasses.dataclass(frozen=True)
class AlbertConfig(EncoderConfig):
    """Configuration of an ALBERT model.

    The defaults are from the base model, version 2. Version 1 has dropout 0.1,
    except xxlarge.

    Args:
        embedding_size: size of the embedding vectors.
        num_hidden_layers: number of times that a group of blocks is applied.
        num_hidden_groups: number of groups with separate weights, at most
            `num_hidden_layers`.
        inner_group_num: number of blocks in a group.
        classifier_dropout_prob: dropout rate before the task head.
        attention_window: as in `BertConfig`.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`.

    References:
        [ALBERT](https://arxiv.org/abs/1909.11942), section 3
    """

    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    embedding_size: int = 128
    num_hidden_groups: int = 1
    inner_group_num: int = 1
    classifier_dropout_prob: float = 0.1
    attention_window: Annotated[int, checks.Check(checks.even, 0)] = 0

    family = "ALBERT"
    model_type = "albert"
    size_keys = {
        **EncoderConfig.size_keys,
        "E": "embedding_size",
        "G": "num_hidden_groups",
        "K": "inner_group_num",
    }
    block_letters = "GK"
    dropout_keys = (*EncoderConfig.dropout_keys[:2], "classifier_dropout_prob")
    informative_keys = frozenset(("layers_to_keep",))
    required_values = {
        **EncoderConfig.required_values,
        "down_scale_factor": 1,
        "gap_size": 0,
        "net_structure_type": 0,
        "num_memory_blocks": 0,
    }
    transformers_defaults = {
        "vocab_size": 30000,
        "hidden_size": 4096,
        "num_attention_heads": 64,
        "intermediate_size": 16384,
    }

    def __post_init__(self):
        super().__post_init__()
        most = self.num_hidden_layers
        checks.between(1, most, num_hidden_groups=self.num_hidden_groups)

    @property
    def depth(self):
        return self.num_hidden_layers * self.inner_group_num


def albert_backbone(config):
    """Build the layers of the encoder."""
    arguments = layer_arguments(config)
    narrow = {**arguments["embeddings"], "hidden_size": config.embedding_size}
    tables = BertEmbeddings(**narrow, name="tables")
    embeddings = FactorizedEmbeddings(
        tables, config.hidden_size, **arguments["matrix"], name="embeddings"
    )
    num_groups, num_runs = config.num_hidden_groups, config.num_hidden_layers
    window = config.attention_window
    groups = [
        [
            encoder_block(arguments, window, f"group_{group}_block_{i}")
            for i in range(config.inner_group_num)
        ]
        for group in range(num_groups)
    ]
    # Each group is applied several times.
    runs = [groups[run * num_groups // num_runs] for run in range(num_runs)]
    blocks = [block for group in runs for block in group]
    pooler = FlatDense(**arguments["pooler"], name="pooler")
    return Backbone(embeddings, blocks, pooler=pooler)


def albert_heads(config, embeddings):
    """Return a dict mapping part names to pre-training heads."""
    matrix = layer_arguments(config)["matrix"]
    return {
        "masked_lm_head": masked_lm_head(config, embeddings),
        "sop_head": TaskHead(2, dropout=0.0, **matrix, name="sop_head"),
    }


FAMILY = Family(
    config=AlbertConfig,
    backbone=albert_backbone,
    heads=albert_heads,
    paper="1909.11942",
    parts=("pooler", "masked_lm_head", "sop_head"),
    tokenizer="sentencepiece",
    published_keys={"bos_token_id": 2, "eos_token_id": 3},
)
