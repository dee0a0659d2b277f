"""Classification of texts and text pairs."""

import typing

import numpy as np

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.columns import answers_one_or_many
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.outputs.label_names import choose_labels
from keras_bert.tasks.outputs.text_outputs import Labels
from keras_bert.tasks.text_task import TextTask
from keras_bert.typing import LabelNames
from keras_bert.typing import Texts


class TextClassifier(TextTask):
    """Text classifier for single texts or text pairs.

    Args:
        pretrained: encoder, or model fine-tuned for this task.
        labels: names of the labels in order, or a dict of names and ids, such
            as the `label2id` of a config. Required for an encoder.
        multi_label: whether a text may have several labels or none. `predict`
            returns labels with a probability of at least 0.5.
        rename_labels: dict mapping labels of the trained model to new names.
        new_head: whether to replace the trained head with a random one.
        seq_length: maximum length of a text or pair in tokens, special tokens
            included. Defaults to the trained length, or 128.
        truncation: part of long texts to keep: "head" (default), "tail" or
            "head_tail".
        windows: "mean" or "max" to split long single texts into windows and
            pool their logits. In training each window is an example, and
            `batch_size` counts windows.
        stride: maximum number of tokens between the starts of two windows. By
            default, windows overlap only as needed to have equal lengths.

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

    shared = ("is_pair", "labels", "multi_label")

    labels: list[str]

    def __init__(
        self,
        pretrained: PretrainedModel,
        labels: LabelNames | None = None,
        multi_label: bool | None = None,
        rename_labels: dict[str, str] | None = None,
        new_head: bool = False,
        seq_length: int | None = None,
        truncation: str | None = None,
        windows: str | None = None,
        stride: int | None = None,
    ):
        trained = self._trained_settings(pretrained)
        self.labels, self.kept_outputs = choose_labels(
            trained.get("labels"), labels, rename_labels, new_head
        )
        if multi_label is None:
            multi_label = trained.get("multi_label", False)
        checks.flag(multi_label=multi_label)
        self.multi_label = multi_label
        own = {"labels": self.labels, "multi_label": multi_label}
        super().__init__(
            pretrained,
            Labels(self.labels, multi_label),
            own,
            seq_length,
            truncation=truncation,
            windows=windows,
            stride=stride,
        )

    @one_or_many
    def probabilities(self, texts: Texts) -> np.ndarray:
        """Compute the probability of each label.

        Args:
            texts: texts in the format of `predict`.

        Returns:
            A float32 array `(num_texts, num_labels)`, or `(num_labels,)` for a
            single text. The probabilities of a text sum to 1 unless
            `multi_label` is set.
        """
        return self.outputs.probabilities(self._logits(self._encode(texts)))

    @answers_one_or_many
    def predict(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> list[typing.Any]:
        """Predict the label of each text.

        Args:
            texts: str, or list of str or of pairs of str. Lists may be empty.
                Also dicts, columns, arrays or tensors of these.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A list with a dict for each text. The keys are `label` (str),
            `probability` (float) and `truncated` (bool), whether the text was
            truncated. If `multi_label` is set, each text has a list of such
            dicts, most probable first. This list may be empty. For a single
            text, the result is not wrapped in a list.
        """
        return self._compute_predictions(texts, show_progress_bar)
