"""Task output that predicts a tag for each word."""

import keras
import numpy as np

from keras_bert.lazy_tensorflow import tf
from keras_bert.tasks.inputs.sentences import tag_indices
from keras_bert.tasks.inputs.word_pieces import ENDS
from keras_bert.tasks.inputs.word_pieces import STARTS
from keras_bert.tasks.outputs.entity_scores import entity_scores
from keras_bert.tasks.outputs.entity_scores import tag_accuracy
from keras_bert.tasks.outputs.label_names import label_weights
from keras_bert.tasks.outputs.outputs import TRUNCATED
from keras_bert.tasks.outputs.outputs import Classes
from keras_bert.tasks.readers.entities import Entity
from keras_bert.tasks.readers.entities import find_entities
from keras_bert.tasks.readers.entities import locate_entities
from keras_bert.tasks.readers.entities import to_iob1
from keras_bert.tasks.readers.entities import to_iob2
from keras_bert.tasks.readers.tag_schemes import is_plain
from keras_bert.tasks.training.collapse import is_nearly_constant

_ENTITY_METRICS = ("precision", "recall", "f1")


class Tags(Classes):
    """Output that predicts a tag for each word.

    Args:
        labels: list of str, the names of the tags.
    """

    head = "token_classifier"
    names = ("logits", "labels", STARTS, ENDS, TRUNCATED)

    def __init__(self, labels):
        self.labels, self.num_outputs = labels, len(labels)
        self.is_plain = is_plain(labels)
        # Published IOB1 models may lack the B- tag of some types.
        types = {name[2:] for name in labels if name[:2] == "I-"}
        begun = {name[2:] for name in labels if name[:2] == "B-"}
        self.is_iob1 = not types <= begun
        self.main_metric = "accuracy" if self.is_plain else "f1"

    def targets(self, labels, class_weights):
        tags, where = labels
        learned = [*map(to_iob1, tags)] if self.is_iob1 else tags
        indices = tag_indices(learned, self.labels, where)
        class_weights = {} if class_weights is None else class_weights
        return indices, label_weights(class_weights, self.labels)

    def loss(self, label_smoothing):
        # Average over all words of the batch, not per sentence.
        return keras.losses.CategoricalCrossentropy(
            from_logits=True,
            label_smoothing=label_smoothing,
            reduction="mean_with_sample_weight",
        )

    def loss_arguments(self, encoded, logits):
        indices = [x.label_indices for x in encoded.decode_context]
        weights = np.repeat(encoded.sample_weight, [*map(len, indices)])
        indices, logits = np.concatenate(indices), np.concatenate(logits)
        is_read = np.isfinite(logits).all(axis=1)
        targets = np.eye(self.num_outputs)[indices[is_read]]
        return targets, logits[is_read], weights[is_read]

    def probabilities(self, logits):
        """Convert logits to a list of probability arrays."""
        return [*map(super().probabilities, logits)]

    def tags_of(self, probabilities):
        """Return the tag of each word, given probabilities or logits."""
        return [
            [self.labels[index] for index in row.argmax(axis=1)]
            for row in probabilities
        ]

    def metric_names(self, encoded):
        return ["accuracy"] if self.is_plain else [*_ENTITY_METRICS]

    def metrics(self, encoded, logits):
        tags = [sentence.tags for sentence in encoded.decode_context]
        predictions, weights = self.tags_of(logits), encoded.sample_weight
        if self.is_plain:
            return tag_accuracy(tags, predictions, weights)
        if self.is_iob1:
            predictions = [*map(to_iob2, predictions)]
        scores = entity_scores(tags, predictions, weights)
        return {name: scores[name] for name in _ENTITY_METRICS}

    def is_constant(self, encoded, logits):
        targets, logits, _ = self.loss_arguments(encoded, logits)
        return is_nearly_constant(logits.argmax(1), targets.argmax(1))

    def decode(self, encoded, logits):
        find = _each_word if self.is_plain else find_entities
        return [
            locate_entities(find(tags), x.text, x.spans, row.max(axis=1))
            for x, tags, row in zip(
                encoded.decode_context,
                self.tags_of(logits),
                self.probabilities(logits),
                strict=True,
            )
        ]

    def graph(self, logits, inputs):
        """Tag the words of texts in a TensorFlow graph.

        Returns:
            A dict with `labels`, string `(batch_size, seq_length)`, the tag of
            each word at its first piece and "" elsewhere; the inputs `starts`
            and `ends`; and `logits`, float32
            `(batch_size, seq_length, num_labels)`.
        """
        best = tf.argmax(logits, axis=-1, output_type=tf.int32)
        # Select by index, because TFLite cannot select between strings.
        best = tf.where(inputs[ENDS] > 0, best, self.num_outputs)
        return {
            "logits": logits,
            "labels": tf.gather(tf.constant([*self.labels, ""]), best),
            STARTS: tf.identity(inputs[STARTS]),
            ENDS: tf.identity(inputs[ENDS]),
        }


def _each_word(tags):
    return [Entity(tag, index, index) for index, tag in enumerate(tags)]
