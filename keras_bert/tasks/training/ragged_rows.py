"""Model inputs of many texts, stored without padding."""

import collections.abc
import copy
import typing

import numpy as np


class RaggedRows:
    """Model inputs of many texts, stored in memory without padding.

    Args:
        values: dict mapping input names to arrays `(num_tokens, ...)`, usually
            int32 `(num_tokens,)`: the concatenated tokens of all rows.
        lengths: int array `(num_rows,)`, number of tokens in each row.
        padding: dict mapping input names to padding values.
        padding_side: "right" or "left".
        width_multiple: batch widths are rounded up to a multiple of it, so
            that compilers see few shapes.
        max_width: maximum rounded width; None for no limit.
        truncated: bool array `(num_rows,)`, mask of truncated rows. Defaults
            to all False.

    Example:

    >>> import numpy as np
    >>> from keras_bert.tasks.training.ragged_rows import RaggedRows
    >>> values = {"input_ids": np.array([2, 7, 3, 2, 3], "int32")}
    >>> rows = RaggedRows(values, np.array([3, 2]), {"input_ids": 0})
    >>> rows.inputs([1, 0])["input_ids"].tolist()
    [[2, 3, 0], [2, 7, 3]]
    """

    def __init__(
        self,
        values: collections.abc.Mapping[str, np.ndarray],
        lengths: np.ndarray,
        padding: dict[str, float],
        padding_side: str = "right",
        width_multiple: int = 1,
        max_width: int | None = None,
        truncated: np.ndarray | None = None,
    ):
        self.values = {name: np.asarray(x) for name, x in values.items()}
        self.lengths = np.asarray(lengths, np.int64)
        self.padding = padding
        self.padding_side = padding_side
        self.width_multiple = width_multiple
        self.max_width = max_width
        if truncated is None:
            truncated = np.zeros(len(self.lengths), bool)
        self.truncated = truncated
        self._starts = np.cumsum(self.lengths) - self.lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def subset(self, indices: np.ndarray | slice) -> typing.Self:
        """Select rows by index, without copying values."""
        subset = copy.copy(self)
        subset.lengths = self.lengths[indices]
        subset.truncated = self.truncated[indices]
        subset._starts = self._starts[indices]
        return subset

    def inputs(
        self, indices: np.ndarray | collections.abc.Sequence[int]
    ) -> dict[str, np.ndarray]:
        """Return rows padded to the longest one.

        Args:
            indices: int `(batch_size,)`. Additional axes are kept in the
                result.

        Returns:
            A dict of int32 arrays `(batch_size, width)`.
        """
        indices = np.asarray(indices, int)
        lengths = self.lengths[indices][..., np.newaxis]
        width = -(-lengths.max(initial=0) // self.width_multiple)
        width *= self.width_multiple
        if self.max_width is not None:
            width = min(width, self.max_width)
        positions = np.arange(width)
        if self.padding_side == "left":
            positions = positions - (width - lengths)
        is_real = (positions >= 0) & (positions < lengths)
        positions = positions + self._starts[indices][..., np.newaxis]
        positions = np.where(is_real, positions, 0)
        batch = {}
        for name, x in self.values.items():
            where = is_real.reshape(is_real.shape + (1,) * (x.ndim - 1))
            padding = x.dtype.type(self.padding[name])
            batch[name] = np.where(where, x[positions], padding)
        return batch

    def with_values(
        self,
        values: collections.abc.Mapping[str, np.ndarray],
        padding: dict[str, float],
    ) -> typing.Self:
        """Return rows with different values for the tokens, such as labels.

        Args:
            values: dict mapping names to arrays `(num_tokens, ...)`.
            padding: dict mapping names to padding values.

        Returns:
            Rows with the same lengths and padding side.
        """
        other = copy.copy(self)
        other.values = {name: np.asarray(x) for name, x in values.items()}
        other.padding = padding
        return other

    def joined(self, other: typing.Self) -> typing.Self:
        """Append rows with the same inputs and padding."""
        joined = copy.copy(self)
        joined.values = {
            name: np.concatenate([x, other.values[name]])
            for name, x in self.values.items()
        }
        for name in ("lengths", "truncated"):
            arrays = getattr(self, name), getattr(other, name)
            setattr(joined, name, np.concatenate(arrays))
        joined._starts = np.cumsum(joined.lengths) - joined.lengths
        if None not in (self.max_width, other.max_width):
            joined.max_width = max(self.max_width, other.max_width)
        return joined

    def token_slice(self, index: int, width: int) -> slice:
        """Return the slice of a row's tokens in a batch of the given width."""
        length = int(self.lengths[index])
        start = width - length if self.padding_side == "left" else 0
        return slice(start, start + length)
