"""Layout of texts and special tokens in sequences, and token offsets.

Only dense ops (where, gather, comparisons) are used, because TFLite has no
kernels for ragged slicing and concatenation.
"""

import typing

import tensorflow as tf

from keras_bert.template import FIRST
from keras_bert.template import SECOND

# Number of tokens to skip before a kept token, given its index in the kept
# part of its text, the length of this part, and the number of tokens to cut.
TRUNCATIONS = {
    "head": lambda index, num_kept, num_cut: 0,
    "tail": lambda index, num_kept, num_cut: num_cut,
    # The head has half of the tokens, rounded up.
    "head_tail": lambda index, num_kept, num_cut: tf.where(
        index < (num_kept + 1) // 2, 0, num_cut
    ),
}


class Cells(typing.NamedTuple):
    """Tokens of sequences, with or without padding.

    All tensors are int32 `(num_tokens,)` without padding, or `(batch_size,
    seq_length)`.

    Args:
        places: index of each token in a table of the special tokens, in the
            order of `Template.tokens`, followed by the tokens of all texts.
        mask: 1 at tokens, 0 at padding.
        segments: segment ids.
    """

    places: tf.Tensor
    mask: tf.Tensor
    segments: tf.Tensor


class Layout:
    """Sequences of special tokens and texts, truncated to a length.

    Args:
        template: `Template`.
        texts: RaggedTensors `(batch_size, (num_tokens))`, the tokens of the
            texts and, for pairs, of the second texts.
        seq_length: int, maximum length. Long pairs are truncated token by
            token, always from the longer text.
        truncation: str, a key of `TRUNCATIONS`.

    Attributes:
        lengths: int32 `(batch_size,)`, number of tokens of each sequence.
        are_cut: bool `(batch_size,)`, mask of truncated texts or pairs.
    """

    def __init__(self, template, texts, seq_length, truncation):
        self.template = template
        self.seq_length = seq_length
        self._skipped = TRUNCATIONS[truncation]
        num_special = template.num_special(is_pair=len(texts) == 2)
        budget = seq_length - num_special
        # Fails if there are not as many second texts as texts.
        lengths = tf.stack([x.row_lengths() for x in texts])
        lengths = tf.cast(lengths, tf.int32)  # [T, B]
        self.are_cut = tf.reduce_sum(lengths, 0) > budget
        lengths = [lengths[n] for n in range(len(texts))]
        kept = truncated_lengths(budget, *lengths)[: len(texts)]
        self.lengths = sum(kept) + num_special
        self._texts, first = [], len(template.tokens)
        for text, length, num_kept in zip(texts, lengths, kept, strict=True):
            starts = tf.cast(text.row_starts(), tf.int32) + first
            self._texts.append((starts, num_kept, length - num_kept))
            first += tf.size(text.flat_values)

    def flat(self):
        """Return the `Cells` of all sequences, concatenated without padding."""
        row, position = numbered(self.lengths)
        places, segments = self._cells(position, lambda x: tf.gather(x, row))
        return Cells(places, tf.ones_like(position), segments)

    def padded(self):
        """Return the `Cells` of sequences padded to `seq_length`."""
        position = tf.range(self.seq_length)[tf.newaxis]  # [1, S]
        length = self.lengths[:, tf.newaxis]  # [B, 1]
        if self.template.padding_side == "left":
            position -= self.seq_length - length
        places, segments = self._cells(position, lambda x: x[:, tf.newaxis])
        is_token = tf.logical_and(position >= 0, position < length)
        return Cells(
            tf.where(is_token, places, 0),
            tf.cast(is_token, tf.int32),
            tf.where(is_token, segments, self.template.padding_segment),
        )

    def _cells(self, position, of_row):
        """Compute the fields `places` and `segments` of `Cells`.

        Args:
            position: int32, position of each cell in its sequence.
            of_row: callable that converts a per-sequence value to a tensor that
                broadcasts to the cells.
        """
        template, texts = self.template, [*self._texts]
        places, segments, end = 0, 0, of_row(self.lengths)
        for word, segment in reversed(template.layout(len(texts) == 2)):
            if word in (FIRST, SECOND):
                first, num_kept, num_cut = map(of_row, texts.pop())
                start = end - num_kept
                skipped = self._skipped(position - start, num_kept, num_cut)
                place = position + (first - start) + skipped
            else:
                start, place = end - 1, template.tokens.index(word)
            # Words before this one replace the cells before its start.
            is_before = position < end
            places = tf.where(is_before, place, places)
            segments = tf.where(is_before, segment, segments)
            end = start
        return places, segments


def truncated_lengths(budget, first, second=0):
    """Return the lengths of texts or pairs after truncation.

    google-research/bert removes tokens one by one: the last token of the
    longer text, or of the second text if both are equally long. This function
    computes the same result in one step.

    Args:
        budget: int, maximum number of tokens of a text or pair.
        first: int32 `(batch_size,)`, lengths of the first texts.
        second: int32 `(batch_size,)`, lengths of the second texts, or 0.

    Returns:
        Two int32 `(batch_size,)` tensors.
    """
    kept_first = tf.minimum(
        first, tf.maximum(budget - second, (budget + 1) // 2)
    )
    return kept_first, tf.minimum(second, budget - kept_first)


def numbered(counts):
    """Return the row index of each item and its index within the row."""
    items = tf.cast(tf.where(tf.sequence_mask(counts)), tf.int32)
    return items[:, 0], items[:, 1]  # TFLite cannot unstack zero items.


STARTS, ENDS, TEXT_NUMBERS = "starts", "ends", "text_numbers"


def locate_pieces(preprocess, *texts):
    """Tokenize texts or pairs to `Rows` that include token offsets.

    Args:
        preprocess: `Preprocessor`.
        *texts: string tensor or list `(batch_size,)`; pass two for pairs.

    Returns:
        `Rows` with more int32 `(num_tokens,)` tensors, which are 0 at special
        tokens: `text_numbers`, 1 at tokens of the first text, 2 at tokens of
        the second text; `starts` and `ends`, byte offsets into the text.
    """
    found = [preprocess.tokenizer.tokenize_with_offsets(x) for x in texts]
    ids, starts, ends = zip(*found, strict=True)
    numbers = [tf.ones_like(x) * n for n, x in enumerate(starts, 1)]
    values = {TEXT_NUMBERS: numbers, STARTS: starts, ENDS: ends}
    return preprocess.rows(*ids, **values)
