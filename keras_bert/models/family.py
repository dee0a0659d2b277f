"""Model families and functions that build their models."""

import collections.abc
import dataclasses
import importlib
import typing

import keras

from keras_bert.config import StrictConfig
from keras_bert.locations import family_folder
from keras_bert.models.backbone import Backbone
from keras_bert.models.heads import add_heads
from keras_bert.models.heads import masked_lm_only
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class Family:
    """Definition of a model family with its config, backbone and heads.

    Args:
        config: class of the configs, with the class name of Hugging Face.
        backbone: callable that creates a `Backbone` from a config.
        paper: arXiv number or URL of the paper.
        heads: callable that takes a config and the embeddings, and returns a
            dict mapping part names to pre-training heads.
        parts: optional parts of a checkpoint in order: "pooler" and the names
            of the pre-training heads.
        task_heads: task heads by name: "classifier", "token_classifier",
            "choice_scorer" and "span_classifier".
        head_distance: number of layers from the highest block to the task head,
            for layer-wise learning rate decay.
        template: layout of single texts and pairs.
        tokenizer: default tokenizer type if the files of a checkpoint do not
            identify one: "wordpiece", "bpe", "byte_bpe" or "sentencepiece".
        masked_lm_class: suffix of the name of the transformers class with the
            masked-LM head, such as "ForMaskedLM".
        published_keys: additional keys that are written to the `config.json`
            of Hugging Face.
    """

    config: type[StrictConfig]
    backbone: collections.abc.Callable[[typing.Any], Backbone]
    paper: str
    heads: collections.abc.Callable[..., dict[str, keras.layers.Layer]] = (
        masked_lm_only
    )
    parts: tuple[str, ...] = ("pooler", "masked_lm_head")
    task_heads: dict[str, HeadKind] = dataclasses.field(
        default_factory=TASK_HEADS.copy
    )
    head_distance: int = 1
    template: Template = Template()
    tokenizer: str = "wordpiece"
    masked_lm_class: str = "ForMaskedLM"
    published_keys: dict[str, typing.Any] = dataclasses.field(
        default_factory=dict
    )

    @property
    def model_type(self) -> str:
        """The `model_type` in published files, such as "bert"."""
        return self.config.model_type

    @property
    def name(self) -> str:
        """Display name, such as "BERT"."""
        return self.config.family

    @property
    def paper_link(self) -> str:
        """Markdown link to the paper."""
        if "/" in self.paper:
            return f"[report]({self.paper})"
        return f"[arXiv {self.paper}](https://arxiv.org/abs/{self.paper})"

    def template_of(self, part: str) -> Template:
        """Return the `Template` for a task head.

        Args:
            part: name of the head, such as "classifier".
        """
        return self.task_heads[part].template or self.template

    def model_name(self, kind: str) -> str:
        """Return the name of a Keras model, such as "bert_encoder".

        Args:
            kind: type of the model, such as "encoder".
        """
        return f"{self.model_type.replace('-', '_')}_{kind}"


def encoder(config: StrictConfig) -> keras.Model:
    """Build the encoder of a config of any family.

    Args:
        config: config of any family, such as `BertConfig`.

    Returns:
        A functional `keras.Model`. It takes a dict of int32
        `(batch_size, seq_length)` tensors `input_ids`, `input_mask` (1 at
        tokens, 0 at padding) and, if the family uses segments, `segment_ids`.
        It returns a dict of `sequence_output`, float
        `(batch_size, seq_length, hidden_size)`, and, if the family has a
        pooler, `pooled_output`, float `(batch_size, hidden_size)`.

    Example:

    >>> from keras_bert.models.families.albert.model import AlbertConfig
    >>> keras_bert.models.encoder(AlbertConfig(30000)).count_params()
    11683584
    """
    family = family_of(config.model_type)
    return family.backbone(config).encoder(family.model_name("encoder"))


def pretrainer(config: StrictConfig) -> keras.Model:
    """Build an encoder with all pre-training heads of its family.

    Args:
        config: config of any family, such as `BertConfig`.

    Returns:
        A functional `keras.Model`. It takes the inputs of the encoder and
        `masked_lm_positions`, int32 `(batch_size, num_predictions)`. It returns
        a dict of `mlm_logits`, float32 `(batch_size, num_predictions,
        vocab_size)`, and of the family's other logits: `nsp_logits` of BERT or
        `sop_logits` of ALBERT, float32 `(batch_size, 2)`, or
        `replaced_token_logits` of ELECTRA, float32 `(batch_size, seq_length)`.

    Example:

    >>> from keras_bert.models.families.albert.model import AlbertConfig
    >>> keras_bert.models.pretrainer(AlbertConfig(30000)).count_params()
    11813810
    """
    family = family_of(config.model_type)
    backbone = family.backbone(config)
    heads = family.heads(config, backbone.embeddings)
    return add_heads(backbone, heads, family.model_name("pretrainer"))


def family_of(model_type: str) -> Family:
    """Return the `Family` of a known `model_type`.

    It is the constant `FAMILY` in `model.py` in the folder of the family; see
    `family_folder`.
    """
    folder = family_folder(model_type)
    return importlib.import_module(
        f"keras_bert.models.families.{folder}.model"
    ).FAMILY
