"""Text to word-piece ids, in the graph."""

import functools

import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text.vocabulary import MASK
from keras_bert.text.vocabulary import Vocabulary


class BertTokenizer:
    """Cuts texts into word pieces.

    It is made of graph ops alone and runs eagerly, in `tf.data`, in a
    SavedModel and in TFLite. The ops are built where they are first used,
    so that one tokenizer serves many graphs.

    Args:
        vocabulary: a `Vocabulary` or the path of a `vocab.txt`.
        lowercase: bool, lower-case the text and strip its accents, as the
            "uncased" models want it.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, UTF-8.

    Returns:
        A RaggedTensor, int32 `(batch_size, (num_tokens))`. A special token
        that is written in a text is plain text.

    Example:

    >>> tokenizer = keras_bert.text.BertTokenizer("vocab.txt")
    >>> tokenizer(["some text"])
    <tf.RaggedTensor [[2070, 3793]]>

    References:
        [Fast WordPiece](https://arxiv.org/abs/2012.15524)
    """

    def __init__(self, vocabulary, lowercase=True):
        if not isinstance(vocabulary, Vocabulary):
            vocabulary = Vocabulary.from_file(vocabulary)
        self.vocabulary = vocabulary
        self.lowercase = lowercase

    @functools.cached_property
    def _tokenize(self):
        with tf.init_scope():
            return tf_text.FastBertTokenizer(
                vocab=list(self.vocabulary.tokens),
                token_out_type=tf.int32,
                lower_case_nfd_strip_accents=self.lowercase,
            ).tokenize

    def __call__(self, texts):
        return self._tokenize(tf.convert_to_tensor(texts, tf.string))

    def tokenize_with_masks(self, texts):
        """Like a call, but a literal [MASK] becomes the mask token.

        Args:
            texts: string tensor or list `(batch_size,)`, UTF-8.

        Returns:
            A RaggedTensor, int32 `(batch_size, (num_tokens))`.
        """
        between = tf.strings.split(
            tf.convert_to_tensor(texts, tf.string), sep=MASK
        )
        tokens = between.with_values(self(between.values))
        mask = tf.fill(
            [tf.shape(tokens.values.row_splits)[0] - 1, 1],
            self.vocabulary.id_of(MASK),
        )
        marked = tokens.with_values(
            tf.concat([tokens.values, mask], axis=1)
        ).merge_dims(1, 2)
        return marked[:, :-1]
