"""Words of sentences to tags, such as the names in a text."""

import itertools

import keras
import numpy as np
from keras import ops

from keras_bert.data.labelled.entities import OUTSIDE
from keras_bert.data.labelled.entities import Entity
from keras_bert.data.labelled.entities import find_entities
from keras_bert.data.labelled.entities import locate_entities
from keras_bert.data.labelled.entities import to_iob1
from keras_bert.data.labelled.entities import to_iob2
from keras_bert.data.labelled.tag_schemes import is_plain
from keras_bert.tasks.fine_tuning.collapse import is_nearly_constant
from keras_bert.tasks.fine_tuning.collapse import probe_indices
from keras_bert.tasks.fine_tuning.columns import SINGLE_KEYS
from keras_bert.tasks.fine_tuning.columns import as_rows
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.encoded import token_targets
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.label_names import choose_labels
from keras_bert.tasks.fine_tuning.label_names import label_weights
from keras_bert.tasks.fine_tuning.monitoring import LabelAccuracy
from keras_bert.tasks.tags.entity_scores import entity_scores
from keras_bert.tasks.tags.entity_scores import tag_accuracy
from keras_bert.tasks.tags.sentences import as_sentences
from keras_bert.tasks.tags.sentences import check_names
from keras_bert.tasks.tags.sentences import in_iob2
from keras_bert.tasks.tags.sentences import of_entities
from keras_bert.tasks.tags.sentences import tag_names
from keras_bert.tasks.tags.sentences import tag_places
from keras_bert.tasks.tags.sentences import tagged_words
from keras_bert.tasks.tags.word_pieces import ENDS
from keras_bert.tasks.tags.word_pieces import STARTS
from keras_bert.tasks.tags.word_pieces import WordPreprocessor
from keras_bert.tasks.tags.word_pieces import find_words
from keras_bert.tasks.tags.word_pieces import tokenize_words
from keras_bert.tasks.tags.word_windows import IGNORED
from keras_bert.tasks.tags.word_windows import Sentences
from keras_bert.tasks.tags.word_windows import Words
from keras_bert.tasks.task import TRUNCATED

_ENTITY_METRICS = ("precision", "recall", "f1")


class TokenClassifier(FineTunedTask):
    """Gives each word a tag: entities such as names, or parts of speech.

    Its first piece speaks for a word. To learn from and to evaluate on, there
    are `TaggedSentences`, as `read_conll` gives them, or a list with a list
    of words for each sentence and one with their tags, or with the indices of
    their tags in `labels`. Tags of entities may be IOB1, IOB2, BIOES, BILOU or
    BMES, with types or all without; the model itself has IOB2, or IOB1 if it
    was published without the B- of some types. A sentence that is too long is
    worked through in windows, so that no word is left out.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        labels: list of str, the names of the tags, as `labels_of` makes
            them. Needed for an encoder; a fine-tuned model has its own, which
            these may put in another order.
        seq_length: int, longest window in tokens, special ones included; by
            default 128, or the model's limit if that is less.
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

    head = "token_classifier"
    shared = ("labels",)
    outputs = ("logits", "labels", STARTS, ENDS, TRUNCATED)

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
        super().__init__(pretrained, len(self.labels), settings)
        self.is_plain = is_plain(self.labels)
        # Published models in IOB1 may lack the B- of some types.
        types = {name[2:] for name in self.labels if name[:2] == "I-"}
        self.is_iob1 = not types <= {
            name[2:] for name in self.labels if name[:2] == "B-"
        }
        self.main_metric = "accuracy" if self.is_plain else "f1"
        self.preprocess = WordPreprocessor(
            self.pretrained.tokenizer,
            self.pretrained.family.template,
            seq_length,
        )
        self.inputs += (STARTS, ENDS)

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

    def encode(self, sentences, labels=None, class_weights=None):
        if labels is None:
            return self._asked(sentences).encoded()
        words, tags, where = tagged_words(sentences, labels, self.labels)
        if not self.is_plain:
            tags = in_iob2(tags, where)
        learned = [*map(to_iob1, tags)] if self.is_iob1 else tags
        places = tag_places(learned, self.labels, where)
        weights = label_weights(class_weights or {}, self.labels)
        return self._tokenized(words, tags).tagged(places, weights)

    def _asked(self, texts):
        """Tokenizes texts, and finds their words; or tokenizes `Words`."""
        if isinstance(texts, Words):
            return self._tokenized(texts)
        texts = as_rows(texts, SINGLE_KEYS)
        found = find_words(self.preprocess.tokenizer, texts)
        pieces, spans = zip(*found, strict=True) if found else ((), ())
        words = [
            [text[start:end] for start, end in places]
            for text, places in zip(texts, spans, strict=True)
        ]
        return Sentences(self.preprocess, pieces, words, texts, spans)

    def _tokenized(self, words, tags=None):
        pieces = tokenize_words(self.preprocess.tokenizer, words)
        return Sentences(self.preprocess, pieces, words, tags=tags)

    def loss(self, label_smoothing):
        # The mean over the words of the batch, however long its sentences.
        return keras.losses.CategoricalCrossentropy(
            from_logits=True,
            label_smoothing=label_smoothing,
            reduction="mean_with_sample_weight",
        )

    def teacher_targets(self, encoded, logits):
        words = encoded.decode_context
        logits = words.at_first_pieces(logits, 0.0)
        return token_targets(words.rows, logits, padding=0.0)

    def training_metrics(self):
        return [LabelAccuracy()]

    def loss_arguments(self, encoded, logits):
        places = {label: place for place, label in enumerate(self.labels)}
        tags = itertools.chain.from_iterable(encoded.decode_context.tags)
        targets = np.eye(len(places))[[places[tag] for tag in tags]]
        logits = np.concatenate(logits)
        is_read = np.isfinite(logits).all(axis=1)
        return targets[is_read], logits[is_read]

    def metric_names(self, encoded):
        return ["accuracy"] if self.is_plain else [*_ENTITY_METRICS]

    def metrics(self, encoded, logits):
        tags, predictions = encoded.decode_context.tags, self.tags_of(logits)
        if self.is_plain:
            return tag_accuracy(tags, predictions)
        if self.is_iob1:
            predictions = [*map(to_iob2, predictions)]
        scores = entity_scores(tags, predictions)
        return {name: scores[name] for name in _ENTITY_METRICS}

    def collapse(self, encoded):
        some = probe_indices(len(encoded.rows))
        logits = self.token_logits(encoded.rows.part(some))
        found, given = [], []
        for index, row in zip(some, logits, strict=True):
            labels = encoded.decode_context.labels[index]
            is_word = labels != IGNORED
            found.extend(row.argmax(axis=-1)[is_word].tolist())
            given.extend(labels[is_word].tolist())
        return is_nearly_constant(found, given)

    def logits(self, encoded):
        """Computes a float32 array `(num_words, num_labels)` for each sentence.

        The first piece speaks for a word. One that the tokenizer drops has 0 at
        "O", or at the first label of plain tags, and minus infinity elsewhere.

        :meta private:
        """
        dropped = np.full(len(self.labels), -np.inf, np.float32)
        is_outside = OUTSIDE in self.labels
        dropped[self.labels.index(OUTSIDE) if is_outside else 0] = 0
        of_words = encoded.decode_context.of_words(
            self.token_logits(encoded.rows), dropped
        )
        return [np.reshape(row, (-1, len(self.labels))) for row in of_words]

    @one_or_many
    def predict(self, texts, show_progress_bar=False):
        """Finds entities in texts.

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

    def decode(self, encoded, logits):
        find = _each_word if self.is_plain else find_entities
        return [
            locate_entities(find(tags), text, spans, row.max(axis=1))
            for tags, row, text, spans in zip(
                self.tags_of(logits),
                self.probabilities_of(logits),
                encoded.decode_context.texts,
                encoded.decode_context.spans,
                strict=True,
            )
        ]

    def predict_words(self, sentences):
        """Tags the words of sentences.

        Args:
            sentences: list with a list of str for each sentence, perhaps
                empty; or columns, arrays or tensors of these.

        Returns:
            A list with a list of str for each sentence, a tag for each word.
            A word that the tokenizer drops, such as a control character, is
            "O", or the first label of plain ones.
        """
        return self.tags_of(self.probabilities(sentences))

    def probabilities(self, sentences):
        """Computes the probability of each tag of the words of sentences.

        Args:
            sentences: as `predict_words` takes them.

        Returns:
            A list with a float32 array `(num_words, num_labels)` for each
            sentence; those of a word sum to 1.
        """
        words = Words(as_sentences(sentences))
        return self.probabilities_of(self.logits(self.encode(words)))

    def probabilities_of(self, logits):
        """Makes the answer of `probabilities` of `logits`.

        :meta private:
        """
        return [ops.convert_to_numpy(ops.softmax(row)) for row in logits]

    def tags_of(self, probabilities):
        """Finds the most probable tag of each word; logits will do.

        :meta private:
        """
        return [
            [self.labels[place] for place in row.argmax(axis=1)]
            for row in probabilities
        ]

    def predict_ids(self, inputs):
        """Tags the words of texts, in graph.

        Texts are cut at the model's length.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors: those
                of the model, and `starts` and `ends`, where a word stands in
                its text, in bytes, at its first piece, and 0 elsewhere.

        Returns:
            A dict of tensors `(batch_size, seq_length)`: `labels`, string,
            the tag of a word at its first piece and "" elsewhere, and
            `starts` and `ends` as given; and of `logits`, float32
            `(batch_size, seq_length, num_labels)`.
        """
        import tensorflow as tf

        ids = {name: inputs[name] for name in self.pretrained.backbone.inputs}
        logits = self.model(ids)["logits"]
        best = tf.argmax(logits, axis=-1, output_type=tf.int32)
        # Chosen by index, for TFLite has no choice between strings.
        best = tf.where(inputs[ENDS] > 0, best, len(self.labels))
        return {
            "logits": logits,
            "labels": tf.gather(tf.constant([*self.labels, ""]), best),
            STARTS: tf.identity(inputs[STARTS]),
            ENDS: tf.identity(inputs[ENDS]),
        }


def _each_word(tags):
    return [Entity(tag, index, index) for index, tag in enumerate(tags)]
