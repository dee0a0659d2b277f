"""ELECTRA: BERT pre-trained by replaced token detection."""

import dataclasses

from keras_bert.config import EncoderConfig
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.embeddings.bert_embeddings import BertEmbeddings
from keras_bert.layers.embeddings.factorized_embeddings import (
    FactorizedEmbeddings,
)
from keras_bert.layers.heads.replaced_token_head import ReplacedTokenHead
from keras_bert.models.family import Family
from keras_bert.models.heads import masked_lm_head
from keras_bert.models.layer_arguments import dense_transform
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.layer_arguments import transformer_backbone
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind


@dataclasses.dataclass(frozen=True)
class ElectraConfig(EncoderConfig):
    """Configuration of an ELECTRA discriminator or generator.

    The defaults are from the small discriminator.

    Args:
        embedding_size: size of the embedding vectors. If it differs from
            `hidden_size`, a matrix projects them.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`.

    References:
        [ELECTRA](https://arxiv.org/abs/2003.10555), section 3.1, appendix A
    """

    hidden_size: int = 256
    num_attention_heads: int = 4
    intermediate_size: int = 1024
    hidden_act: str = "gelu_erf"
    embedding_size: int = 128

    family = "ELECTRA"
    model_type = "electra"
    size_keys = {**EncoderConfig.size_keys, "E": "embedding_size"}
    informative_keys = frozenset(("classifier_dropout", "generator_size"))
    required_values = {
        **EncoderConfig.required_values,
        "summary_type": "first",
        "summary_use_proj": True,
        "summary_activation": "gelu",
    }
    plain_gelu = "gelu_erf"
    google_head_size = 64
    transformers_defaults = {"vocab_size": 30522}

    def generator(self, share=0.25):
        """Return the config of a generator with `share` times the width."""
        width = round(self.hidden_size * share)
        heads = max(1, width // self.google_head_size)
        changes = {"num_attention_heads": heads, "intermediate_size": 4 * width}
        return dataclasses.replace(self, hidden_size=width, **changes)


def electra_backbone(config, tables=None):
    """Build the layers of the encoder.

    Args:
        config: `ElectraConfig`.
        tables: the layer `embeddings.tables` of a discriminator, to share it
            with the generator. If None, a new layer is created.
    """
    arguments = layer_arguments(config)
    width, hidden_size = config.embedding_size, config.hidden_size
    narrow = {**arguments["embeddings"], "hidden_size": width}
    embeddings = FactorizedEmbeddings(
        tables or BertEmbeddings(**narrow, name="tables"),
        None if width == hidden_size else hidden_size,
        **arguments["matrix"],
        name="embeddings",
    )
    return transformer_backbone(config, arguments, embeddings, pools=False)


def electra_heads(config, embeddings):
    """Return a dict mapping part names to the two pre-training heads."""
    arguments, name = layer_arguments(config), "replaced_token_head"
    activation = arguments["feed_forward"]["activation"]
    head = ReplacedTokenHead(
        config.hidden_size, activation, **arguments["matrix"], name=name
    )
    # Always the erf form, even if the blocks use another activation.
    generator = masked_lm_head(config, embeddings, activation=gelu_erf)
    return {"masked_lm_head": generator, name: head}


def _classifier_transform(config):
    return dense_transform(config, config.hidden_dropout_prob, gelu_erf)


def _choice_transform(config):
    return dense_transform(config, activation=gelu_erf)


FAMILY = Family(
    config=ElectraConfig,
    backbone=electra_backbone,
    heads=electra_heads,
    paper="2003.10555",
    parts=("masked_lm_head", "replaced_token_head"),
    task_heads={
        **TASK_HEADS,
        "classifier": HeadKind("first_token", None, _classifier_transform),
        # Published configs always have this value in `summary_last_dropout`.
        "choice_scorer": HeadKind("first_token", 0.1, _choice_transform),
    },
    head_distance=2,
)
