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


@dataclasses.dataclass(frozen=True)
class HeadKind:
    """One kind of head that fine-tuning puts on the encoders of a family.

    Args:
        reads: str, "pooled_output" or "first_token", `(batch_size,
            hidden_size)`, or "sequence_output", `(batch_size, seq_length,
            hidden_size)`.
        dropout: float, dropout before the logits; by default as the config
            says.
        transform: function from a config to a layer between what the head
            reads and the dropout, or None.
    """

    reads: str
    dropout: float | None = None
    transform: collections.abc.Callable | None = None

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

    Where the head looks at the first token only, so does the last block.

    Args:
        backbone: `Backbone`, with a pooler if that is what the head reads.
        head: layer from what it reads to logits.
        reads: str, see `HeadKind`.
        name: str, name of the model.

    Returns:
        A functional `keras.Model` from the backbone's inputs to a dict of
        `logits`, float32 `(batch_size, num_outputs)`, or `(batch_size,
        seq_length, num_outputs)` of a head that reads "sequence_output".
    """
    if reads == "sequence_output":
        read = backbone.states[-1]
    else:
        first = backbone.inputs[features.INPUT_IDS.name][:, :1]
        read = backbone.last_states(ops.zeros_like(first))[:, 0]
        if reads == "pooled_output":
            read = backbone.pooler(read)
    return keras.Model(backbone.inputs, {"logits": head(read)}, name=name)


def over_choices(model, name):
    """The same model for several rows of an example.

    Args:
        model: model from int32 `(batch_size, seq_length)` tensors to a dict
            of `logits`, float32 `(batch_size, 1)`.
        name: str, name of the new model, which shares the weights.

    Returns:
        A functional `keras.Model` from int32 `(batch_size, num_choices,
        seq_length)` tensors to a dict of `logits`, float32 `(batch_size,
        num_choices)`.
    """
    inputs = {
        key: keras.Input((None, None), dtype="int32", name=key)
        for key in model.input
    }
    merge = MergeChoices(name="merge_choices")
    rows = {key: merge(choices) for key, choices in inputs.items()}
    logits = SplitChoices(name="split_choices")(
        model(rows)["logits"], inputs[features.INPUT_IDS.name]
    )
    return keras.Model(inputs, {"logits": logits}, name=name)
