"""What a family of models is made of, as data."""

import collections.abc
import dataclasses

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
