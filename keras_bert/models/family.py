"""A family of models as data, and the models made of it."""

import collections.abc
import dataclasses
import importlib

from keras_bert.models.heads import add_heads
from keras_bert.models.heads import masked_lm_only
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class Family:
    """Differences of one family from the others, except its weight table.

    Args:
        config: class below `StrictConfig`, named as that of Hugging Face.
        backbone: function from a config to a `Backbone`.
        paper: str, its number on arXiv, or its address.
        heads: function from a config and the embeddings to the dict of the
            layers of all pre-training heads, by part.
        parts: tuple of str, the parts that a checkpoint may lack, each as a
            whole: "pooler" and those of the heads, in order.
        task_heads: dict from "classifier", "token_classifier",
            "choice_scorer" and "span_classifier" to their `HeadKind`.
        head_distance: int, how many layers above the highest block the head
            of a task stands where the rates of layers decay.
        template: `Template`, how texts and pairs are laid out.
        tokenizer: str, the kind of tokenizer that a directory has which does
            not show another: "wordpiece", "bpe", "byte_bpe" or
            "sentencepiece".
        published_keys: dict of what a `config.json` of Hugging Face says
            besides the config.
    """

    config: type
    backbone: collections.abc.Callable
    paper: str
    heads: collections.abc.Callable = masked_lm_only
    parts: tuple = ("pooler", "masked_lm_head")
    task_heads: dict = dataclasses.field(default_factory=TASK_HEADS.copy)
    head_distance: int = 1
    template: Template = Template()
    tokenizer: str = "wordpiece"
    published_keys: dict = dataclasses.field(default_factory=dict)

    @property
    def model_type(self):
        """Its name in published files."""
        return self.config.model_type

    @property
    def name(self):
        """Its name for readers."""
        return self.config.family

    @property
    def paper_link(self):
        """Its paper for readers, in Markdown."""
        if "/" in self.paper:
            return f"[report]({self.paper})"
        return f"[arXiv {self.paper}](https://arxiv.org/abs/{self.paper})"

    def template_of(self, part):
        """Return the `Template` of texts for the head of a task.

        Args:
            part: str, the name of the head, such as "classifier".
        """
        return self.task_heads[part].template or self.template

    def model_name(self, kind):
        """Return the name of a Keras model, such as "bert_encoder".

        Args:
            kind: str, such as "encoder".
        """
        return f"{self.model_type.replace('-', '_')}_{kind}"


def encoder(config):
    """Builds the encoder of the family of a config.

    Args:
        config: a config of any family, such as `BertConfig`.

    Returns:
        A functional `keras.Model`. It takes a dict of int32
        `(batch_size, seq_length)` tensors `input_ids`, `input_mask` (1 at
        tokens, 0 at padding) and, where the family has them, `segment_ids`.
        It returns a dict of `sequence_output`, float
        `(batch_size, seq_length, hidden_size)`, and, where the family has a
        pooler, `pooled_output`, float `(batch_size, hidden_size)`.

    Example:

    >>> from keras_bert.models.families.albert.model import AlbertConfig
    >>> keras_bert.models.encoder(AlbertConfig(30000)).count_params()
    11683584
    """
    family = family_of(config.model_type)
    return family.backbone(config).encoder(family.model_name("encoder"))


def pretrainer(config):
    """Builds an encoder with all pre-training heads of its family.

    Args:
        config: a config of any family, such as `BertConfig`.

    Returns:
        A functional `keras.Model`. It takes the encoder's inputs and
        `masked_lm_positions`, int32 `(batch_size, num_predictions)`, and
        returns a dict of `mlm_logits`, float32
        `(batch_size, num_predictions, vocab_size)`, and, float32
        `(batch_size, 2)`, BERT's `nsp_logits` or ALBERT's `sop_logits`, or,
        `(batch_size, seq_length)`, ELECTRA's `replaced_token_logits`.

    Example:

    >>> from keras_bert.models.families.albert.model import AlbertConfig
    >>> keras_bert.models.pretrainer(AlbertConfig(30000)).count_params()
    11813810
    """
    family = family_of(config.model_type)
    backbone = family.backbone(config)
    heads = family.heads(config, backbone.embeddings)
    return add_heads(backbone, heads, family.model_name("pretrainer"))


def family_of(model_type):
    """Returns the `Family` of a known `model_type`.

    The family "a-b" is `FAMILY` in `keras_bert.models.families.a_b.model`.
    """
    name = model_type.replace("-", "_")
    return importlib.import_module(
        f"keras_bert.models.families.{name}.model"
    ).FAMILY
