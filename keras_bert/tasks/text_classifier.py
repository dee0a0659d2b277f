"""Texts, or pairs of texts, to labels."""

from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.label_names import choose_labels
from keras_bert.tasks.fine_tuning.texts import TextTask
from keras_bert.tasks.outputs import Labels


class TextClassifier(TextTask):
    """Classifier of texts, or of pairs of texts.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        labels: list of str, the names of the labels in order. Needed for an
            encoder; a fine-tuned model has its own, which these may put in
            another order.
        multi_label: bool, whether a text may have several labels or none.
            Labels with a probability of at least 0.5 are returned.
        **kwargs: of `TextTask`.
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
        answer = Labels(self.labels, multi_label)
        how = seq_length, truncation, windows, stride
        super().__init__(pretrained, answer, own, *how)

    @one_or_many
    def probabilities(self, texts):
        """Compute the probability of each label.

        Args:
            texts: as `predict` takes them.

        Returns:
            A float32 array `(num_texts, num_labels)`, or `(num_labels,)` of a
            single text. The probabilities of a text sum to 1, except with
            `multi_label`.
        """
        return self.answer.probabilities(self.logits(self.encode(texts)))

    @one_or_many
    def predict(self, texts, show_progress_bar=False):
        """Label texts.

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
