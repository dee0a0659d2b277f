"""Mapping between model weights and arrays of published checkpoints.

Marks in `weights.txt`, see `weight_table`, describe the layout of an array in
the file:

- `@0`, `@1`, `@2` (after the path of our weight): the query, key or value third
  of our fused matrix;
- `@T`: transposed;
- `@heads_out`, `@heads_in`: the last or the first axis is split into
  `(num_heads, head_size)`;
- `@heads_in_T`: transposed, with the last axis split in the same way;
- `@heads_qkv`: transposed, with queries, keys and values grouped by head. Our
  matrix has all queries, then all keys, then all values.
"""

import dataclasses

import numpy as np

from keras_bert.checkpoints.weight_table import NOT_STORED
from keras_bert.checkpoints.weight_table import blocks_of
from keras_bert.checkpoints.weight_table import global_rows
from keras_bert.checkpoints.weight_table import head_rows
from keras_bert.checkpoints.weight_table import rows_with
from keras_bert.checkpoints.weight_table import shape_of
from keras_bert.checkpoints.weight_table import sizes_with
from keras_bert.checkpoints.weight_table import weight_of
from keras_bert.checkpoints.weight_table import weight_shapes

_STRIPE = 64


@dataclasses.dataclass(frozen=True)
class ArrayLocation:
    """Location of a weight (or a third of a weight) in a file.

    Args:
        weight: str, path of the variable in this library.
        third: int, third of the weight's last axis: 0 for query, 1 for key, 2
            for value; None for the whole weight.
        name: str, name of the array in the file.
        shape: tuple, shape of the array in the file.
        transposed: bool, whether the array in the file is transposed.
        num_heads: int, number of heads if the file groups queries, keys and
            values by head, or None.
    """

    weight: str
    third: int | None
    name: str
    shape: tuple
    transposed: bool = False
    num_heads: int | None = None

    @property
    def layer_name(self):
        """Return the layer name, such as "embeddings" or "block_0"."""
        return self.weight.partition("/")[0]

    def read_into(self, weight, array):
        """Copy an array of the file into the weight."""
        own = self.view(weight)
        if not self.transposed:
            own[...] = array.reshape(own.shape)
            return
        matrix = array.reshape(own.shape[::-1])
        # Copy narrow stripes, because they fit the processor's cache.
        for start in range(0, len(array), _STRIPE):
            stripe = slice(start, start + _STRIPE)
            own[..., stripe] = matrix[stripe].T

    def written_from(self, weight):
        """Return the array to write to the file."""
        own = self.view(np.asarray(weight))
        own = own.T if self.transposed else own
        return np.ascontiguousarray(own).reshape(self.shape)

    def view(self, weight):
        """Return the stored values of a weight (NumPy array) as a view."""
        if self.num_heads:
            heads = weight.reshape(len(weight), 3, self.num_heads, -1)
            return heads.transpose(2, 1, 3, 0)
        if self.third is None:
            return weight
        size = weight.shape[-1] // 3
        return weight[..., self.third * size : (self.third + 1) * size]


def published_locations(config, column, head=None):
    """Return the `ArrayLocation`s of all weights in a published format.

    Args:
        config: a config of any family.
        column: str, the format's column in `weights.txt`: "hugging_face",
            "model_garden" or one of `tf1_columns`.
        head: `HeadSize` of the task head, or None.

    Raises:
        ValueError: the format does not support the family or the head.
    """
    table, heads = rows_with(config), []
    if head is not None:
        heads = head_rows(config.model_type, head.part)
    is_held = all(column in row for row in table)
    if not is_held or any(
        x.get(column, NOT_STORED) == NOT_STORED for x in heads
    ):
        what = f" with a {head.part}" if head else ""
        what += " with an `attention_window`" if global_rows(config) else ""
        raise ValueError(
            f"The format {column!r} does not support {config.family}{what}. "
            "Use format='keras'."
        )
    sizes = sizes_with(config, head)
    locations = [
        _published_location(row, column, sizes, block)
        for row in [*table, *heads]
        if row[column] != NOT_STORED
        for block in blocks_of(row, config)
    ]
    # If a task head and a pre-training head share a name, keep the last one.
    return [*{location.name: location for location in locations}.values()]


def own_locations(config, head=None):
    """Return the `ArrayLocation`s in checkpoints of this library."""
    return [
        ArrayLocation(weight, None, weight, shape)
        for weight, shape in weight_shapes(config, head).items()
    ]


def _published_location(row, column, sizes, block):
    weight, third = weight_of(row)
    name, _, mark = row[column].partition("@")
    shape = shape_of(row["shape"], sizes)
    heads = sizes["N"], sizes["H"] // sizes["N"]
    shapes = {
        "": shape,
        "T": shape[::-1],
        "heads_out": (*shape[:-1], *heads),
        "heads_in": (*heads, *shape[1:]),
        "heads_in_T": (*shape[:0:-1], *heads),
        "heads_qkv": shape[::-1],
    }
    return ArrayLocation(
        weight.format(*block),
        third,
        name.format(*block),
        shapes[mark],
        mark in ("T", "heads_in_T"),
        sizes["N"] if mark == "heads_qkv" else None,
    )
