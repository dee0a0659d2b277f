"""Models with a fine-tuning head."""

import collections.abc
import dataclasses

import keras
from keras import ops

from keras_bert import features
from keras_bert.config import StrictConfig
from keras_bert.layers.heads.choices import MergeChoices
from keras_bert.layers.heads.choices import SplitChoices
from keras_bert.layers.heads.task_head import TaskHead
from keras_bert.models.backbone import Backbone
from keras_bert.models.global_tokens import context_of
from keras_bert.models.layer_arguments import initializer
from keras_bert.template import Template


@dataclasses.dataclass(frozen=True)
class HeadKind:
    """Configuration of a fine-tuning head for the encoders of a family.

    Args:
        reads: input of the head, or a callable that maps a config to it.
            "pooled_output", "first_token", "last_token" and "mean" are
            `(batch_size, hidden_size)`; "sequence_output" is `(batch_size,
            seq_length, hidden_size)`.
        dropout: dropout rate before the logits. Defaults to the value in the
            config.
        transform: callable that maps a config to the layer that is applied
            before the dropout, or None.
        template: `Template` of the inputs. Defaults to the family's template.
            Special tokens that are not in the vocabulary are added.
        published_class: suffix of the class name in transformers. Defaults to
            BERT's suffix.
        context: callable that maps a config to the `context` argument of the
            head's `Backbone`. Defaults to the context of the encoder, with
            global tokens if the config has an `attention_window`.
        language_model_weight: weight of an auxiliary language modeling
            loss. If it is above 0, the family's "masked_lm_head" must not add
            any weights.
    """

    reads: str | collections.abc.Callable
    dropout: float | None = None
    transform: collections.abc.Callable | None = None
    template: Template | None = None
    published_class: str | None = None
    context: collections.abc.Callable | None = None
    language_model_weight: float = 0.0

    def reads_of(self, config: StrictConfig) -> str:
        """Return the name of the encoder output that the head reads.

        Args:
            config: config of the family.
        """
        return self.reads(config) if callable(self.reads) else self.reads

    def backbone(
        self, backbone: Backbone, config: StrictConfig, part: str
    ) -> Backbone:
        """Return the `Backbone` with the `AttentionContext` that a head needs.

        Args:
            backbone: `Backbone` of the encoder.
            config: config of the family.
            part: name of the head, such as "classifier".
        """
        context = self.context and self.context(config)
        if config.attention_window and not context:
            context = context_of(part)
        return backbone.with_context(context) if context else backbone

    def layer(
        self, config: StrictConfig, num_outputs: int, name: str
    ) -> TaskHead:
        """Create the layer that computes the logits.

        Args:
            config: config of the family.
            num_outputs: number of logits.
            name: name of the layer.
        """
        *_, dropout = config.dropouts
        return TaskHead(
            num_outputs,
            transform=self.transform and self.transform(config),
            dropout=dropout if self.dropout is None else self.dropout,
            kernel_initializer=initializer(config),
            name=name,
        )


# The heads of google-research/bert. The span classifier has no dropout.
TASK_HEADS = {
    "classifier": HeadKind("pooled_output"),
    "token_classifier": HeadKind("sequence_output"),
    "choice_scorer": HeadKind("pooled_output"),
    "span_classifier": HeadKind("sequence_output", dropout=0.0),
}


def add_task_head(
    backbone: Backbone, head: keras.layers.Layer, reads: str, name: str
) -> keras.Model:
    """Build a model from a backbone and a task head.

    If the head reads one token, the last block computes only this token.

    Args:
        backbone: `Backbone`, with a pooler if the head reads "pooled_output".
        head: layer that computes the logits.
        reads: input of the head, see `HeadKind`.
        name: name of the model.

    Returns:
        A functional `keras.Model` that maps the inputs of the backbone to a
        dict with `logits`, float32 `(batch_size, num_outputs)`, or
        `(batch_size, seq_length, num_outputs)` if the head reads
        "sequence_output". For packed sequences and other heads, the model also
        takes `text_starts`, and `logits` are `(batch_size, num_texts,
        num_outputs)`.
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
            # `argmax` returns the first maximum, which is the last token.
            counts = ops.cumsum(mask, axis=1)
            position = ops.argmax(counts, axis=1, keepdims=True)
        read = backbone.last_states(position)[:, 0]
    if reads == "pooled_output":
        read = backbone.pooler(read)
    return keras.Model(inputs, {"logits": head(read)}, name=name)


def _read_of_texts(backbone, reads, inputs):
    """Return the head inputs for packed texts.

    Returns:
        float `(batch_size, num_texts, hidden_size)`.
    """
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
    # TFLite does not support slices with a new axis for unknown sizes.
    weights = ops.expand_dims(ops.cast(mask, states.dtype), -1)  # [B, S, 1]
    num_tokens = ops.maximum(ops.sum(weights, axis=1), 1.0)  # Avoid 0 / 0.
    return ops.sum(states * weights, axis=1) / num_tokens


def over_choices(model: keras.Model, name: str) -> keras.Model:
    """Build a multiple-choice model from a model that scores one choice.

    Args:
        model: `keras.Model` that maps a dict of int32 `(batch_size,
            seq_length)` tensors to a dict of float32 `(batch_size, 1)` tensors
            such as `logits`.
        name: name of the new model, which shares the weights of `model`.

    Returns:
        A functional `keras.Model` that maps a dict of int32 `(batch_size,
        num_choices, seq_length)` tensors to a dict of the same outputs, float32
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
