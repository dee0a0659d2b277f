"""Layout of texts and special tokens in sequences, and token offsets.

Only dense ops (where, gather, comparisons) are used, because TFLite has no
kernels for ragged slicing and concatenation. The argument `arrays` is the
module that contains them: `tensorflow`, or `keras_bert.text.arrays` for NumPy.
"""

from __future__ import annotations

import collections.abc
import types
import typing

from keras_bert.template import FIRST
from keras_bert.template import SECOND
from keras_bert.template import Template
from keras_bert.text.arrays import Ragged
from keras_bert.text.arrays import as_ragged
from keras_bert.typing import Tensor
from keras_bert.typing import Texts

if typing.TYPE_CHECKING:
    import tensorflow as tf

    from keras_bert.text.preprocessor import Preprocessor
    from keras_bert.text.preprocessor import Rows

# Number of tokens to skip before a kept token, given its index among the kept
# tokens of its text, the number of these, and the number of tokens to cut.
TRUNCATIONS = {
    "head": lambda arrays, index, num_kept, num_cut: 0,
    "tail": lambda arrays, index, num_kept, num_cut: num_cut,
    # The head has half of the tokens, rounded up.
    "head_tail": lambda arrays, index, num_kept, num_cut: arrays.where(
        index < (num_kept + 1) // 2, 0, num_cut
    ),
}


class Cells(typing.NamedTuple):
    """Tokens of sequences, with or without padding.

    All values are int32 `(num_tokens,)` without padding, or `(batch_size,
    seq_length)`.

    Args:
        indices: index of each token in the concatenation of the special tokens,
            in the order of `Template.tokens`, and the tokens of all texts.
        mask: 1 at tokens, 0 at padding.
        segments: segment ids.
    """

    indices: Tensor
    mask: Tensor
    segments: Tensor


class Layout:
    """Sequences of special tokens and texts, truncated to a length.

    Args:
        arrays: module of array functions.
        template: layout of the special tokens.
        texts: `(batch_size, (num_tokens))`, the tokens of the texts and, for
            pairs, of the second texts.
        seq_length: maximum length. Long pairs are truncated token by token,
            always from the longer text.
        truncation: a key of `TRUNCATIONS`.

    Attributes:
        lengths: int32 `(batch_size,)`, number of tokens of each sequence.
        truncated: bool `(batch_size,)`, mask of truncated texts or pairs.
    """

    def __init__(
        self,
        arrays: types.ModuleType,
        template: Template,
        texts: collections.abc.Sequence[tf.RaggedTensor | Ragged],
        seq_length: int,
        truncation: str,
    ) -> None:
        self.arrays, self.template = arrays, template
        self.seq_length = seq_length
        self._skipped = TRUNCATIONS[truncation]
        num_special = template.num_special(is_pair=len(texts) == 2)
        budget = seq_length - num_special
        # Fails if there are not as many second texts as texts.
        lengths = arrays.stack([x.row_lengths() for x in texts])
        lengths = arrays.cast(lengths, arrays.int32)  # [T, B]
        self.truncated = arrays.reduce_sum(lengths, 0) > budget
        lengths = [lengths[n] for n in range(len(texts))]
        kept = truncated_lengths(arrays, budget, *lengths)[: len(texts)]  # [B]
        self.lengths = sum(kept) + num_special
        self._texts, first = [], len(template.tokens)
        for text, length, num_kept in zip(texts, lengths, kept, strict=True):
            starts = arrays.cast(text.row_starts(), arrays.int32) + first
            self._texts.append((starts, num_kept, length - num_kept))
            first += arrays.size(text.flat_values)

    def flat(self) -> Cells:
        """Return the `Cells` of all sequences, concatenated without padding."""
        arrays = self.arrays
        row, position = numbered(arrays, self.lengths)  # [num_tokens]
        indices, segments = self._cells(
            position, lambda x: arrays.gather(x, row)
        )
        return Cells(indices, arrays.ones_like(position), segments)

    def padded(self) -> Cells:
        """Return the `Cells` of sequences padded to `seq_length`."""
        arrays = self.arrays
        position = arrays.range(self.seq_length)[arrays.newaxis]  # [1, S]
        length = self.lengths[:, arrays.newaxis]  # [B, 1]
        if self.template.padding_side == "left":
            position = position - (self.seq_length - length)  # [B, S]
        indices, segments = self._cells(
            position, lambda x: x[:, arrays.newaxis]
        )
        is_token = arrays.logical_and(position >= 0, position < length)
        return Cells(
            arrays.where(is_token, indices, 0),
            arrays.cast(is_token, arrays.int32),
            arrays.where(is_token, segments, self.template.padding_segment),
        )

    def _cells(
        self,
        position: Tensor,
        of_row: collections.abc.Callable[[Tensor], Tensor],
    ) -> tuple[Tensor, Tensor]:
        """Compute the fields `indices` and `segments` of `Cells`.

        Args:
            position: int32, position of each cell in its sequence.
            of_row: callable that converts a per-sequence value to a tensor that
                broadcasts to the cells.
        """
        arrays, template = self.arrays, self.template
        texts = dict(zip((FIRST, SECOND), self._texts, strict=False))
        # From the last word to the first, each fills all cells up to its end.
        indices, segments, end = 0, 0, of_row(self.lengths)
        for word, segment in reversed(template.layout(len(texts) == 2)):
            if word in texts:
                first, num_kept, num_cut = map(of_row, texts[word])
                start = end - num_kept
                index = position - start  # Among the kept tokens of the text.
                skipped = self._skipped(arrays, index, num_kept, num_cut)
                word_indices = position + (first - start) + skipped
            else:
                start, word_indices = end - 1, template.tokens.index(word)
            # Words before this one replace the cells before its start.
            is_before = position < end
            indices = arrays.where(is_before, word_indices, indices)
            segments = arrays.where(is_before, segment, segments)
            end = start
        return indices, segments


def truncated_lengths(
    arrays: types.ModuleType,
    budget: int,
    first: Tensor,
    second: Tensor | int = 0,
) -> tuple[Tensor, Tensor]:
    """Return the lengths of texts or pairs after truncation.

    google-research/bert removes tokens one by one: the last token of the
    longer text, or of the second text if both are equally long. This function
    computes the same result in one step.

    Args:
        arrays: module of array functions.
        budget: maximum number of tokens of a text or pair.
        first: int32 `(batch_size,)`, lengths of the first texts.
        second: int32 `(batch_size,)`, lengths of the second texts, or 0.

    Returns:
        Two int32 `(batch_size,)` tensors.
    """
    # The first text keeps half of the budget, rounded up, or more if the second
    # text needs less than the other half.
    kept_first = arrays.minimum(
        first, arrays.maximum(budget - second, (budget + 1) // 2)
    )
    return kept_first, arrays.minimum(second, budget - kept_first)


def numbered(arrays: types.ModuleType, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the row index of each item and its index within the row."""
    items = arrays.where(arrays.sequence_mask(counts))
    items = arrays.cast(items, arrays.int32)
    return items[:, 0], items[:, 1]  # TFLite cannot unstack zero items.


STARTS, ENDS, TEXT_NUMBERS = "starts", "ends", "text_numbers"


def locate_pieces(preprocess: Preprocessor, *texts: Texts) -> Rows:
    """Tokenize texts or pairs to `Rows` that include token offsets.

    Args:
        preprocess: the preprocessor.
        *texts: string tensor or list `(batch_size,)`; pass two for pairs.

    Returns:
        `Rows` with more int32 `(num_tokens,)` tensors, which are 0 at special
        tokens: `text_numbers`, 1 at tokens of the first text, 2 at tokens of
        the second text; `starts` and `ends`, byte offsets into the text.
    """
    tokenized = [preprocess.tokenizer.tokenize_with_offsets(x) for x in texts]
    ids, starts, ends = zip(*tokenized, strict=True)
    starts = [*map(as_ragged, starts)]
    ones_like = preprocess.tokenizer._arrays.ones_like
    numbers = [
        x.with_flat_values(ones_like(x.flat_values) * n)
        for n, x in enumerate(starts, 1)
    ]
    # `preprocess.rows` adds special tokens and truncates all values equally.
    values = {TEXT_NUMBERS: numbers, STARTS: starts, ENDS: ends}
    return preprocess.rows(*ids, **values)
