"""Texts, or pairs of texts, to labels."""

import keras
import numpy as np
from keras import ops

from keras_bert.tasks.fine_tuning.collapse import is_nearly_constant
from keras_bert.tasks.fine_tuning.collapse import probe_indices
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.label_names import choose_labels
from keras_bert.tasks.fine_tuning.label_names import label_weights
from keras_bert.tasks.fine_tuning.labels import label_indices
from keras_bert.tasks.fine_tuning.labels import label_rows
from keras_bert.tasks.fine_tuning.monitoring import LabelAccuracy
from keras_bert.tasks.fine_tuning.text_task import TextTask
from keras_bert.tasks.scores import confusion_matrix
from keras_bert.tasks.scores import label_scores
from keras_bert.tasks.scores import several_label_scores
from keras_bert.tasks.task import TRUNCATED


class TextClassifier(TextTask):
    """Sorts texts, or pairs of texts, by labels.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        labels: list of str, the names of the labels in order. Needed for an
            encoder; a fine-tuned model has its own, which these may put in
            another order.
        multi_label: bool, whether a text may have several labels or none.
            Those of probability 0.5 or more are given.
        seq_length: int, longest text or pair in tokens, special ones
            included; by default 128, or the model's limit if that is less.
        truncation: str, what is kept of longer texts: "head", their
            beginning, which is the default, "tail" or "head_tail".
        windows: str, "mean" or "max": single texts that are longer are not
            cut but read in windows, and their logits are pooled. To learn,
            each window is an example with the label of its text, and those
            of a text count together as one; `batch_size` is in windows.
        stride: int, most tokens from the start of a window to that of the
            next; by default windows overlap only so far that none is short.
        rename_labels: dict from labels that the model was trained with to
            their new names.
        new_head: bool, whether a random head takes the place of the trained
            one, such as one for other labels.

    Example:

    >>> classifier = keras_bert.TextClassifier.from_pretrained(
    ...     "directory", labels=["negative", "positive"]
    ... )
    >>> history = classifier.fit(["a fine film", "a bore"], [1, 0], verbose=0)
    >>> [answer["label"] for answer in classifier.predict(["a fine film"])]
    ['positive']

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.1
    """

    head = "classifier"
    main_metric = "accuracy"
    shared = ("is_pair", "labels", "multi_label")

    def __init__(
        self,
        pretrained,
        labels=None,
        multi_label=None,
        rename_labels=None,
        new_head=False,
        seq_length=None,
        truncation=None,
        windows=None,
        stride=None,
    ):
        trained = self._trained_settings(pretrained)
        self.labels, self.kept_outputs = choose_labels(
            trained.get("labels"), labels, rename_labels, new_head
        )
        if multi_label is None:
            multi_label = trained.get("multi_label", False)
        self.multi_label = multi_label
        own = {"labels": self.labels, "multi_label": multi_label}
        how = seq_length, truncation, windows, stride
        super().__init__(pretrained, len(self.labels), own, *how)

    @property
    def outputs(self):
        label = "labels" if self.multi_label else "label"
        return ("logits", "probabilities", label, TRUNCATED)

    def _learned(self, labels, class_weights):
        targets = self._targets(labels)
        if not class_weights:
            return targets, None
        of_label = label_weights(class_weights, self.labels)
        return targets, (targets @ of_label) / np.maximum(targets.sum(1), 1)

    def _targets(self, labels):
        """1 at the labels of each text, float32 `(num_texts, num_labels)`."""
        if self.multi_label:
            return label_rows(labels, self.labels)
        rows = np.eye(len(self.labels), dtype=np.float32)
        return rows[label_indices(labels, self.labels)]

    def loss(self, label_smoothing):
        losses = keras.losses
        kind = (
            losses.BinaryCrossentropy
            if self.multi_label
            else losses.CategoricalCrossentropy
        )
        return kind(from_logits=True, label_smoothing=label_smoothing)

    def training_metrics(self):
        return [LabelAccuracy(self.multi_label)]

    def metric_names(self, encoded):
        if self.multi_label:
            return [*several_label_scores(*np.ones((2, 1, 1), bool))]
        return [*label_scores(np.eye(len(self.labels), dtype=int))]

    def metrics(self, encoded, logits):
        targets = encoded.targets[encoded.starts]
        if self.multi_label:
            return several_label_scores(targets > 0.5, logits >= 0)
        matrix = confusion_matrix(
            targets.argmax(1), logits.argmax(1), len(self.labels)
        )
        return label_scores(matrix)

    def collapse(self, encoded):
        some = probe_indices(len(encoded.counts))
        logits = self.logits(encoded.part(some))
        answers = logits >= 0 if self.multi_label else logits.argmax(1)
        targets = encoded.targets[encoded.starts[some]]
        return is_nearly_constant(answers, targets)

    @one_or_many
    def probabilities(self, texts):
        """Computes the probability of each label.

        Args:
            texts: as `predict` takes them.

        Returns:
            A float32 array `(num_texts, num_labels)`, or `(num_labels,)` of a
            single text. Those of a text sum to 1, except for `multi_label`.
        """
        return self.probabilities_of(self.logits(self.encode(texts)))

    @one_or_many
    def predict(self, texts, show_progress_bar=False):
        """Labels texts.

        Args:
            texts: str, or list of str or of pairs of str, perhaps empty; or
                dicts, columns, arrays or tensors of these.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A list of dicts, one for each text: `label`, str; its
            `probability`, float; and `truncated`, bool, whether the text was
            too long and is cut. With `multi_label` it is a list of such
            dicts, the most probable first, perhaps empty. A single text has
            its answer, not a list.
        """
        return self.answered(texts, show_progress_bar)

    def decode(self, encoded, logits):
        answers = []
        probabilities = self.probabilities_of(logits)
        for row, is_cut in zip(
            probabilities, encoded.truncated.tolist(), strict=True
        ):
            order = np.argsort(-row, kind="stable")
            named = [
                {
                    "label": self.labels[place],
                    "probability": float(row[place]),
                    TRUNCATED: is_cut,
                }
                for place in order
            ]
            several = [x for x in named if x["probability"] >= 0.5]
            answers.append(several if self.multi_label else named[0])
        return answers

    def predict_ids(self, inputs):
        """Labels texts, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.

        Returns:
            A dict of `logits` and `probabilities`, float32 `(batch_size,
            num_labels)`, and `label`, string `(batch_size,)`, the most
            probable; or, with `multi_label`, `labels`, string `(batch_size,
            num_labels)`, those of a text, the most probable first, and then
            "".
        """
        import tensorflow as tf

        logits = self.model(inputs)["logits"]
        probabilities = self._probabilities(logits)
        outputs = {"logits": logits, "probabilities": probabilities}
        if self.multi_label:
            # Chosen by index, for TFLite has no choice between strings.
            sorted_ones, order = tf.math.top_k(probabilities, len(self.labels))
            order = tf.where(sorted_ones >= 0.5, order, len(self.labels))
            names = tf.constant([*self.labels, ""])
            return {**outputs, "labels": tf.gather(names, order)}
        best = tf.argmax(logits, axis=-1)
        return {**outputs, "label": tf.gather(tf.constant(self.labels), best)}

    def probabilities_of(self, logits):
        """Makes the answer of `probabilities` of logits.

        :meta private:
        """
        return ops.convert_to_numpy(self._probabilities(logits))

    def _probabilities(self, logits):
        return ops.sigmoid(logits) if self.multi_label else ops.softmax(logits)
