"""Texts to the inputs of a model."""

import tensorflow as tf

from keras_bert.summary import Summarized
from keras_bert.template import Template
from keras_bert.text.packing import TRUNCATIONS
from keras_bert.text.packing import pack

# To trace the graph takes about as long as three hundred calls outside of one;
# who has made so many will make more.
_PAYING_CALLS = 64


class Preprocessor(Summarized):
    """Tokenizes single texts or pairs and packs them densely.

    The same object is mapped in `tf.data`, traced into a SavedModel and
    converted to TFLite, so that training and serving cannot disagree.

    Args:
        tokenizer: a `Tokenizer`.
        template: a `Template` of roles, or of special tokens that the
            tokenizer knows.
        seq_length: int, length of the packed sequences; longer pairs are cut
            token by token, always the longer text.
        truncation: str, what is kept of a text that is too long: its "head",
            its "tail", or "head_tail", half of each.

    Attributes:
        has_warned_truncation: bool, whether a warning says that texts are cut.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, or a single str.
        pairs: the same, the second texts.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors, or `(seq_length,)`
        of a single str: `input_ids`, `input_mask` and, if the template has
        segments, `segment_ids`.
    """

    def __init__(self, tokenizer, template, seq_length=128, truncation="head"):
        vocabulary = tokenizer.vocabulary
        template = template.with_tokens(vocabulary.roles, vocabulary.pair)
        least = max(
            template.num_special(is_pair=False) + 1,
            template.num_special(is_pair=True),
        )
        if seq_length < least:
            raise ValueError(
                f"`seq_length` must be at least {least}, to hold "
                f"{template.pair}. Received: seq_length={seq_length}."
            )
        if truncation not in TRUNCATIONS:
            raise ValueError(
                f"`truncation` must be one of {', '.join(TRUNCATIONS)}. "
                f"Received: truncation={truncation!r}."
            )
        self.tokenizer = tokenizer
        self.template = template
        self.seq_length = seq_length
        self.truncation = truncation
        self.has_warned_truncation = False
        self._num_calls = 0
        self._traced = {}  # By the number of texts of a row.

    def _facts(self):
        names = "tokenizer", "seq_length", "truncation"
        return {name: getattr(self, name) for name in names}

    def __call__(self, texts, pairs=None):
        columns = [texts] if pairs is None else [texts, pairs]
        if any(type(x).__name__ == "KerasTensor" for x in columns):
            raise TypeError(
                "A preprocessor is no layer of a Keras model: map it over a "
                "`tf.data.Dataset`, or make the model of a task from texts to "
                "answers by `keras_bert.tasks.text_model`. Received: "
                f"{columns}."
            )
        columns = [tf.convert_to_tensor(x, tf.string) for x in columns]
        if any(column.shape.rank != 0 for column in columns):
            return self.pack(*map(self.tokenizer, columns))
        inputs = self.pack(*(self.tokenizer(x[tf.newaxis]) for x in columns))
        return {name: rows[0] for name, rows in inputs.items()}

    def encode(self, *texts):
        """Packs texts and says which are cut, in graph.

        Args:
            *texts: string tensor or list `(batch_size,)`; for pairs two.

        Returns:
            The dict of a call, and bool `(batch_size,)`.
        """
        tokens = [self.tokenizer(column) for column in texts]
        return self.pack(*tokens), self.are_cut(*tokens)

    def are_cut(self, *tokens):
        """Says which texts, or pairs, are too long, bool `(batch_size,)`.

        Args:
            *tokens: as `pack` takes them.
        """
        room = self.seq_length - self.template.num_special(len(tokens) == 2)
        return sum(tf.cast(x.row_lengths(), tf.int32) for x in tokens) > room

    def encode_eagerly(self, *texts):
        """As `encode`, outside of a graph.

        At first it runs some hundred operations one by one, which takes 5 ms
        for one text. After many calls it is traced into a graph: that takes a
        second, and each call from then on less than 1 ms.

        Args:
            *texts: list of str or of bytes `(batch_size,)`; for pairs two.

        Returns:
            What `encode` does.
        """
        self._num_calls += 1
        if self._num_calls <= _PAYING_CALLS:
            return self.encode(*texts)
        if len(texts) not in self._traced:
            column = tf.TensorSpec([None], tf.string)
            function = tf.function(self.encode, [column] * len(texts))
            self._traced[len(texts)] = function.get_concrete_function()
        columns = [tf.constant(column, tf.string) for column in texts]
        return self._traced[len(texts)](*columns)

    def pack(self, first, second=None):
        """Lays out texts that are tokenized already.

        Args:
            first: RaggedTensor `(batch_size, (num_tokens))`, as by `tokenizer`.
            second: the same for the second texts, or None.

        Returns:
            The dict of a call.
        """
        texts, seq_length = (self.template, first, second), self.seq_length
        if first.dtype == tf.string:  # Words, which a `WordTokenizer` spells.
            return self.tokenizer.pack(*texts, seq_length, self.truncation)
        id_of = self.tokenizer.vocabulary.id_of
        return pack(*texts, seq_length, id_of, self.truncation)


class BertPreprocessor(Preprocessor):
    """Packs texts as BERT wants them: [CLS] A [SEP], or [CLS] A [SEP] B [SEP].

    Args:
        tokenizer: a `BertTokenizer`.
        seq_length: int, length of the packed sequences.

    Call arguments, Returns: see `Preprocessor`.

    Example:

    >>> preprocess = keras_bert.text.BertPreprocessor(tokenizer, seq_length=8)
    >>> preprocess(["a text"], ["its pair"])["input_ids"].numpy()
    array([[ 101, 1037, 3793,  102, 2049, 3940,  102,    0]], dtype=int32)

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3, figure 2
    """

    def __init__(self, tokenizer, seq_length=128):
        super().__init__(tokenizer, Template(), seq_length)
