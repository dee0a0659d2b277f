"""Token classification, such as named entity recognition."""

import typing

import numpy as np

from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.columns import answers_one_or_many
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.inputs.sentences import check_names
from keras_bert.tasks.inputs.sentences import expand_entity_names
from keras_bert.tasks.inputs.sentences import tag_names
from keras_bert.tasks.inputs.word_windows import Words
from keras_bert.tasks.outputs.label_names import choose_labels
from keras_bert.tasks.outputs.tags import Tags
from keras_bert.typing import LabelNames
from keras_bert.typing import Texts


class TokenClassifier(FineTunedTask):
    """Token classifier for named entities, parts of speech and other word tags.

    Examples are `TaggedSentences` from `read_conll`, or a list of words and a
    list of tags (names, or indices in `labels`) for each sentence. Entity tags
    may be IOB1, IOB2, BIOES, BILOU or BMES; the model uses IOB2, or IOB1 if it
    was published without the B- of some types. The logits of a word come from
    its first word piece. Long sentences are split into windows, so that every
    word gets a tag.

    Args:
        pretrained: encoder, or model fine-tuned for this task.
        labels: names of the tags, such as the result of `labels_of`. Required
            for an encoder.
        seq_length: maximum length of a window in tokens, special tokens
            included. Defaults to the trained length, or 128.
        rename_labels: dict mapping tags of the trained model, or entity types
            such as "PER", to new names.
        new_head: whether to replace the trained head with a random one.

    Example:

    >>> words = [["Ada", "met", "Charles", "."]]
    >>> tags = [["B-PER", "O", "B-PER", "O"]]
    >>> tagger = keras_bert.TokenClassifier.from_pretrained(
    ...     "directory", labels=keras_bert.TokenClassifier.labels_of(tags)
    ... )
    >>> history = tagger.fit(words, tags, verbose=0)
    >>> tagger.predict_words(words)
    [['B-PER', 'O', 'B-PER', 'O']]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """

    shared = ("labels",)

    labels: list[str]

    def __init__(
        self,
        pretrained: PretrainedModel,
        labels: LabelNames | None = None,
        seq_length: int | None = None,
        rename_labels: dict[str, str] | None = None,
        new_head: bool = False,
    ):
        known = self._trained_settings(pretrained).get("labels")
        self.labels, self.kept_outputs = choose_labels(
            known, labels, expand_entity_names(rename_labels, known), new_head
        )
        if self.labels != known:
            check_names(self.labels)
        seq_length = self._trained_seq_length(pretrained, seq_length)
        settings = {"labels": self.labels, "seq_length": seq_length}
        super().__init__(pretrained, Words, Tags(self.labels), settings)

    @staticmethod
    def labels_of(*tags: typing.Any) -> list[str]:
        """Collect the label names from tagged datasets.

        Args:
            *tags: datasets, such as training and test data. Each is a
                `TaggedSentences`, or a list with a list of str per sentence.

        Returns:
            "O" and the two IOB2 tags of each entity type; or the plain tags,
            sorted.

        Raises:
            ValueError: the tags mix several schemes.
        """
        return tag_names(*tags)

    @answers_one_or_many
    def predict(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> list[list[dict[str, typing.Any]]]:
        """Find entities in texts.

        The tokenizer splits texts into words at white space and punctuation.

        Args:
            texts: str, or list of str. Lists may be empty. Also dicts,
                columns, arrays or tensors of these.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A list with a list of entities for each text, or a single list for
            a single text. An entity is a dict with the keys `text` and `label`
            (str); `start` and `end` (int), character offsets such that `text`
            is `texts[i][start:end]`; and `probability` (float), the mean tag
            probability of its words. The label of entities without types is
            "". For plain tags, each word has a dict.
        """
        return self._compute_predictions(texts, show_progress_bar)

    def predict_words(self, sentences: typing.Any) -> list[list[str]]:
        """Predict a tag for each word of sentences.

        Args:
            sentences: list with a list of str for each sentence. Also columns,
                arrays or tensors of these. Lists may be empty.

        Returns:
            A list of tags for each sentence. Words that the tokenizer drops,
            such as control characters, get "O", or the first label of plain
            tags.
        """
        return self.outputs.tags_of(self.probabilities(sentences))

    def probabilities(self, sentences: typing.Any) -> list[np.ndarray]:
        """Compute the tag probabilities of each word of sentences.

        Args:
            sentences: sentences in the format of `predict_words`.

        Returns:
            A list with a float32 array `(num_words, num_labels)` for each
            sentence. The probabilities of a word sum to 1.
        """
        words = self.inputs.as_words(sentences)
        return self.outputs.probabilities(self._logits(self._encode(words)))
