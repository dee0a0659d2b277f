"""Words of sentences to tags, such as the names in a text."""

from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.label_names import choose_labels
from keras_bert.tasks.tags.sentences import check_names
from keras_bert.tasks.tags.sentences import of_entities
from keras_bert.tasks.tags.sentences import tag_names
from keras_bert.tasks.tags.tags import Tags
from keras_bert.tasks.tags.word_windows import Words


class TokenClassifier(FineTunedTask):
    """Tagger of words: entities such as names, or parts of speech.

    The logits of a word are those of its first piece. Examples are
    `TaggedSentences`, as `read_conll` returns, or a list with a list of words
    for each sentence and one with their tags, or with the indices of their
    tags in `labels`. Tags of entities may be IOB1, IOB2, BIOES, BILOU or BMES,
    with types or all without; the model itself has IOB2, or IOB1 if it was
    published without the B- of some types. A sentence that is too long is
    read in windows, so that no word is left out.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        labels: list of str, the names of the tags, as `labels_of` makes
            them. Needed for an encoder; a fine-tuned model has its own, which
            these may put in another order.
        seq_length: int, longest window in tokens, special tokens included; by
            default as trained, or else 128, or the model's limit if that is
            less.
        rename_labels: dict from tags that the model was trained with, or
            from types of entities, such as "PER", to their new names.
        new_head: bool, whether a random head takes the place of the trained
            one, such as one for other labels.

    Example:

    >>> words = [["Ada", "met", "Charles", "."]]
    >>> tags = [["B-PER", "O", "B-PER", "O"]]
    >>> tagger = keras_bert.TokenClassifier.from_pretrained(
    ...     "directory", labels=keras_bert.TokenClassifier.labels_of(tags)
    ... )
    >>> history = tagger.fit(words, tags, verbose=0)
    >>> [(x["text"], x["label"]) for x in tagger.predict("Who was Ada?")]
    [('Ada', 'PER')]

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """

    shared = ("labels",)

    def __init__(
        self,
        pretrained,
        labels=None,
        seq_length=None,
        rename_labels=None,
        new_head=False,
    ):
        known = self._trained_settings(pretrained).get("labels")
        self.labels, self.kept_outputs = choose_labels(
            known, labels, of_entities(rename_labels, known), new_head
        )
        if self.labels != known:
            check_names(self.labels)
        seq_length = self._trained_seq_length(pretrained, seq_length)
        settings = {"labels": self.labels, "seq_length": seq_length}
        super().__init__(pretrained, Words, Tags(self.labels), settings)

    @staticmethod
    def labels_of(*tags):
        """The `labels` for some data.

        Args:
            *tags: each `TaggedSentences`, or a list with a list of str for
                each sentence, such as those to train on and to evaluate on.

        Returns:
            A list of str: "O" and, for each type of entity, its two tags of
            IOB2; or the plain tags, sorted.

        Raises:
            ValueError: the tags follow no scheme.
        """
        return tag_names(*tags)

    @one_or_many
    def predict(self, texts, show_progress_bar=False):
        """Find entities in texts.

        Words are what the tokenizer cuts a text into, at white space and
        around punctuation.

        Args:
            texts: str, or list of str, perhaps empty; or dicts, columns,
                arrays or tensors of these.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A list with a list for each text, of a dict for each entity, in
            order: `text` and `label`, str, `start` and `end`, int, in
            characters, so that `text` is `texts[i][start:end]`, and
            `probability`, float, the mean over its words of the probability
            of the tag of each. The label of entities without types is "".
            With plain tags there is a dict for each word. A single text has
            a single list.
        """
        return self.answered(texts, show_progress_bar)

    def predict_words(self, sentences):
        """Tag the words of sentences.

        Args:
            sentences: list with a list of str for each sentence, perhaps
                empty; or columns, arrays or tensors of these.

        Returns:
            A list with a list of str for each sentence, a tag for each word.
            A word that the tokenizer drops, such as a control character, is
            "O", or the first label of plain ones.
        """
        return self.answer.tags_of(self.probabilities(sentences))

    def probabilities(self, sentences):
        """Compute the probability of each tag of the words of sentences.

        Args:
            sentences: as `predict_words` takes them.

        Returns:
            A list with a float32 array `(num_words, num_labels)` for each
            sentence; the probabilities of a word sum to 1.
        """
        words = self.reader.whole_texts(sentences)
        return self.answer.probabilities(self.logits(self.encode(words)))
