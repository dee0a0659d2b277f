"""A family of models as data, and the models made of it."""

import collections.abc
import dataclasses
import importlib

from keras_bert.models.heads import add_heads
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class HuggingFaceNames:
    """What Hugging Face calls the things of a family.

    Args:
        prefix: str, begins the names of the encoder's arrays, which an
            encoder saved alone lacks.
        encoder: tuple of str, the beginnings of those names behind it.
        task_arrays: tuple of str, beginnings of arrays of fine-tuned models.
        buffers: tuple of str, arrays that are no weights.
        copies: dict from an array that is a copy to that which it copies, for
            of a tied table there is but one.
        old_names: dict from pieces of names that weights had once to today's.
        architectures: tuple of names of classes, each with the set of parts
            that it needs; the first that has all it needs is written.
        decoder: str, the class of a model from left to right.
        config: dict of published keys with the value that is always written.
    """

    prefix: str
    encoder: tuple
    task_arrays: tuple
    buffers: tuple
    copies: dict
    architectures: tuple
    old_names: dict = dataclasses.field(default_factory=dict)
    decoder: str = ""
    config: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class HeadKind:
    """One kind of head that fine-tuning puts on the encoders of a family.

    Args:
        reads: str, what it looks at: "pooled_output" `(batch_size,
            hidden_size)`, "first_token", of the same shape, or
            "sequence_output" `(batch_size, seq_length, hidden_size)`.
        layer: function from a config, the number of outputs and the name to
            the layer from what it reads to logits.
        architecture: str, the class of Hugging Face that has such a head.
    """

    reads: str
    layer: collections.abc.Callable
    architecture: str


@dataclasses.dataclass(frozen=True)
class Family:
    """All that tells one family from another, but for its table of weights.

    Args:
        config: class below `StrictConfig`.
        backbone: function from a config to a `Backbone`.
        heads: function from a config and the embeddings to the dict of the
            layers of all pre-training heads, by part.
        parts: dict from the parts that a checkpoint may lack, each as a
            whole, to the outputs that they give, in order.
        template: `Template`, how texts and pairs are laid out.
        hugging_face: `HuggingFaceNames`.
        task_heads: dict from "classifier", "token_classifier",
            "choice_scorer" and "span_classifier" to their `HeadKind`.
        paper: str, its number on arXiv.
        tokenizer: str, what cuts its texts, "wordpiece", "byte_bpe" or
            "sentencepiece".
    """

    config: type
    backbone: collections.abc.Callable
    heads: collections.abc.Callable
    parts: dict
    template: Template
    hugging_face: HuggingFaceNames
    task_heads: dict
    paper: str
    tokenizer: str = "wordpiece"

    @property
    def model_type(self):
        """Its name in published files."""
        return self.config.model_type

    @property
    def name(self):
        """Its name for readers."""
        return self.config.family


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

    >>> from keras_bert.models.albert import AlbertConfig
    >>> keras_bert.models.encoder(AlbertConfig(30000)).count_params()
    11683584
    """
    return family_of(config).backbone(config).encoder(_name(config, "encoder"))


def pretrainer(config):
    """Builds an encoder with all pre-training heads of its family.

    Args:
        config: a config of any family, such as `BertConfig`.

    Returns:
        A functional `keras.Model`. It takes the encoder's inputs and
        `masked_lm_positions`, int32 `(batch_size, num_predictions)`, and
        returns a dict of `mlm_logits`, float32
        `(batch_size, num_predictions, vocab_size)`, and, float32
        `(batch_size, 2)`, BERT's `nsp_logits` or ALBERT's `sop_logits`.

    Example:

    >>> from keras_bert.models.albert import AlbertConfig
    >>> keras_bert.models.pretrainer(AlbertConfig(30000)).count_params()
    11813810
    """
    family = family_of(config)
    backbone = family.backbone(config)
    heads = family.heads(config, backbone.embeddings)
    return add_heads(backbone, heads, _name(config, "pretrainer"))


def family_of(config):
    """Returns the `Family` of a config or of a class of configs.

    The family of the `model_type` "a-b" is `FAMILY` in
    `keras_bert.models.a_b`.
    """
    name = config.model_type.replace("-", "_")
    return importlib.import_module(f"keras_bert.models.{name}").FAMILY


def _name(config, kind):
    return f"{config.model_type.replace('-', '_')}_{kind}"
