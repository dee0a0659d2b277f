"""Where each weight of a family stands in the published checkpoints.

The table is `weights/<model_type>.txt`: a row for each published array, a
column for each format, `{}` for the number of the block. The shape is that of
the array in our model, in the letters of the config's `size_keys`, or in
digits. What follows an `@` tells how an array lies there:

- `@0`, `@1`, `@2` (our column): a third of the columns of the fused matrix;
- `@T`: transposed;
- `@heads_out`, `@heads_in`: the last or the first axis is apart as
  `(num_heads, head_size)`.
"""

import dataclasses
import pathlib

import numpy as np

_STRIPE = 64
_TABLES = pathlib.Path(__file__).with_name("weights")


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a weight, or a third of it, stands in a file.

    Args:
        weight: str, path of our variable.
        third: int, which third of its columns; None for all of it.
        name: str, name of the array in the file.
        shape: tuple, shape of the array in the file.
        transposed: bool, whether the file holds it transposed.
    """

    weight: str
    third: int | None
    name: str
    shape: tuple
    transposed: bool = False

    @property
    def part(self):
        """The layer it belongs to: "embeddings", "block_0", "pooler" ..."""
        return self.weight.partition("/")[0]

    def read_into(self, weight, array):
        """Puts an array of the file where it belongs in our weight."""
        own = self.view(weight)
        if not self.transposed:
            own[...] = array.reshape(own.shape)
            return
        # Narrow stripes stay in the processor's cache.
        for start in range(0, len(array), _STRIPE):
            stripe = slice(start, start + _STRIPE)
            own[:, stripe] = array[stripe].T

    def written_from(self, weight):
        """The array for the file, from our weight."""
        own = self.view(weight)
        own = own.T if self.transposed else own
        return np.ascontiguousarray(own).reshape(self.shape)

    def view(self, weight):
        """What of our weight, a NumPy array, the array stands for."""
        if self.third is None:
            return weight
        size = weight.shape[-1] // 3
        return weight[..., self.third * size : (self.third + 1) * size]


def model_types():
    """The families that there is a table of, by their published names."""
    return sorted(path.stem for path in _TABLES.glob("*.txt"))


def published_places(config, column):
    """All places of a published format.

    Args:
        config: a config of any family.
        column: "hugging_face", "tf1" or "model_garden".

    Returns:
        A list of `Place`.

    Raises:
        ValueError: the format has no place for models of this family.
    """
    table = read_table(config.model_type)
    if column not in table[0]:
        raise ValueError(
            f"The format must be one that holds {config.family}. "
            f"Received: {column}."
        )
    return [
        _published_place(row, column, config, block)
        for row in table
        for block in _blocks(row, config)
    ]


def own_places(config):
    """All places of our own files, which name arrays as our weights."""
    return [
        Place(weight, None, weight, shape)
        for weight, shape in weight_shapes(config).items()
    ]


def weight_shapes(config):
    """The shapes of our weights by their paths."""
    shapes = {}
    for row in read_table(config.model_type):
        weight, _, third = row["weight"].partition("@")
        *first, columns = _shape(row["shape"], config)
        for block in _blocks(row, config):
            shapes[weight.format(block)] = (
                *first,
                3 * columns if third else columns,
            )
    return shapes


def read_table(model_type):
    """The rows of a family's table, dicts by the names of the columns."""
    text = (_TABLES / f"{model_type}.txt").read_text(encoding="utf-8")
    columns, *rows = (line.split() for line in text.splitlines())
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _blocks(row, config):
    return range(config.sizes["L"]) if "{}" in row["weight"] else [None]


def _shape(letters, config):
    sizes = config.sizes
    return tuple(
        int(letter) if letter.isdigit() else sizes[letter]
        for letter in letters.split(",")
    )


def _published_place(row, column, config, block):
    weight, _, third = row["weight"].partition("@")
    name, _, mark = row[column].partition("@")
    shape = _shape(row["shape"], config)
    num_heads = config.sizes["N"]
    heads = num_heads, config.sizes["H"] // num_heads
    shapes = {
        "": shape,
        "T": shape[::-1],
        "heads_out": (*shape[:-1], *heads),
        "heads_in": (*heads, *shape[1:]),
    }
    return Place(
        weight.format(block),
        int(third) if third else None,
        name.format(block),
        shapes[mark],
        mark == "T",
    )
