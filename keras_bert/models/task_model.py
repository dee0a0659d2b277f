"""A task's head on any backbone."""

import collections.abc
import dataclasses

import keras
from keras import ops

from keras_bert import features
from keras_bert.layers.choices import MergeChoices
from keras_bert.layers.choices import SplitChoices
from keras_bert.layers.task_head import TaskHead
from keras_bert.models.layer_arguments import initializer
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class HeadKind:
    """One kind of head that fine-tuning puts on the encoders of a family.

    Args:
        reads: str, "pooled_output", "first_token", "last_token" or "mean" of
            the tokens, each `(batch_size, hidden_size)`, or
            "sequence_output", `(batch_size, seq_length, hidden_size)`; or a
            function from a config to one of them.
        dropout: float, dropout before the logits; by default as the config
            says.
        transform: function from a config to a layer between what the head
            reads and the dropout, or None.
        template: `Template`, how texts are laid out for it; None as the
            family's. Tokens that it names and a vocabulary lacks are added.
        published_class: str, the end of the name that its class has in
            transformers; None for that of BERT's.
        language_model_weight: float, of the loss of a language model of the
            texts, beside that of the task. It needs a family whose
            "masked_lm_head" has no weights of its own.
    """

    reads: str | collections.abc.Callable
    dropout: float | None = None
    transform: collections.abc.Callable | None = None
    template: Template | None = None
    published_class: str | None = None
    language_model_weight: float = 0.0

    def reads_of(self, config):
        """Return the name of the encoder's output that the head reads.

        Args:
            config: a config of the family.
        """
        return self.reads(config) if callable(self.reads) else self.reads

    def layer(self, config, num_outputs, name):
        """Makes the layer from what the head reads to logits.

        Args:
            config: a config of the family.
            num_outputs: int.
            name: str.
        """
        own = self.dropout is not None
        *_, dropout = config.dropouts
        return TaskHead(
            num_outputs,
            transform=self.transform and self.transform(config),
            dropout=self.dropout if own else dropout,
            kernel_initializer=initializer(config),
            name=name,
        )


# As published with BERT; the span classifier has no dropout.
TASK_HEADS = {
    "classifier": HeadKind("pooled_output"),
    "token_classifier": HeadKind("sequence_output"),
    "choice_scorer": HeadKind("pooled_output"),
    "span_classifier": HeadKind("sequence_output", dropout=0.0),
}


def add_task_head(backbone, head, reads, name):
    """Puts the head of a task on a backbone.

    Where the head looks at one token only, so does the last block.

    Args:
        backbone: `Backbone`, with a pooler if that is what the head reads.
        head: layer from what it reads to logits.
        reads: str, what a `HeadKind` may read.
        name: str, name of the model.

    Returns:
        A functional `keras.Model` from the backbone's inputs to a dict of
        `logits`, float32 `(batch_size, num_outputs)`, or `(batch_size,
        seq_length, num_outputs)` of a head that reads "sequence_output". Of
        packed rows it also takes `text_starts`, unless that is what the head
        reads, and gives `(batch_size, num_texts, num_outputs)`.
    """
    inputs = dict(backbone.inputs)
    mask = inputs[features.INPUT_MASK.name]
    if reads == "sequence_output":
        read = backbone.states[-1]
    elif backbone.is_packed:
        read = _read_of_texts(backbone, reads, inputs)
    elif reads == "mean":
        read = mean_of_tokens(backbone.states[-1], mask)
    else:
        position = ops.zeros_like(mask[:, :1])
        if reads == "last_token":
            # Of equal counts `argmax` takes the first: there ends the text.
            counts = ops.cumsum(mask, axis=1)
            position = ops.argmax(counts, axis=1, keepdims=True)
        read = backbone.last_states(position)[:, 0]
    if reads == "pooled_output":
        read = backbone.pooler(read)
    return keras.Model(inputs, {"logits": head(read)}, name=name)


def _read_of_texts(backbone, reads, inputs):
    """Reads each text of packed rows, float `(batch_size, num_texts, ...)`."""
    starts = backbone.add_text_starts(inputs)
    if reads in ("first_token", "pooled_output"):
        return backbone.last_states(starts)
    numbers = inputs[features.TEXT_NUMBERS.name]
    own = ops.expand_dims(ops.take_along_axis(numbers, starts, axis=1), -1)
    tokens = ops.equal(own, ops.expand_dims(numbers, 1))  # [B, T, S]
    tokens = ops.cast(tokens, "int32") * ops.expand_dims(
        inputs[features.INPUT_MASK.name], 1
    )
    if reads == "last_token":
        return backbone.last_states(
            ops.argmax(ops.cumsum(tokens, axis=2), axis=2)
        )
    states = backbone.states[-1]
    weights = ops.cast(tokens, states.dtype)
    num_tokens = ops.maximum(ops.sum(weights, axis=2, keepdims=True), 1.0)
    return ops.matmul(weights, states) / num_tokens


def mean_of_tokens(states, mask):
    """Average the vectors of each text's tokens.

    Args:
        states: float `(batch_size, seq_length, hidden_size)`.
        mask: int32 `(batch_size, seq_length)`; 1 at tokens.

    Returns:
        float `(batch_size, hidden_size)`; 0 for a text without tokens.
    """
    # Not by a slice with a new axis, which TFLite has not for unknown sizes.
    weights = ops.expand_dims(ops.cast(mask, states.dtype), -1)  # [B, S, 1]
    num_tokens = ops.maximum(ops.sum(weights, axis=1), 1.0)  # Not 0 / 0.
    return ops.sum(states * weights, axis=1) / num_tokens


def over_choices(model, name):
    """The same model for several rows of an example.

    Args:
        model: model from int32 `(batch_size, seq_length)` tensors to a dict
            of `logits`, float32 `(batch_size, 1)`, and perhaps others.
        name: str, name of the new model, which shares the weights.

    Returns:
        A functional `keras.Model` from int32 `(batch_size, num_choices,
        seq_length)` tensors to a dict of the same outputs, float32
        `(batch_size, num_choices)`.
    """
    inputs = {
        key: keras.Input((None, None), dtype="int32", name=key)
        for key in model.input
    }
    merge = MergeChoices(name="merge_choices")
    rows = {key: merge(choices) for key, choices in inputs.items()}
    split = SplitChoices(name="split_choices")
    outputs = {
        key: split(scores, inputs[features.INPUT_IDS.name])
        for key, scores in model(rows).items()
    }
    return keras.Model(inputs, outputs, name=name)
