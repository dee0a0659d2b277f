"""The weights of each family, as tables that need no NumPy to be read.

The table is `weights/<model_type>.txt`: a row for each published array, a
column for each format, `{}` for the number of the block. The shape is that of
the array in our model, in the letters of the config's `size_keys`, or in
digits. `weight_map` reads the marks behind an `@`.
"""

import pathlib

_TABLES = pathlib.Path(__file__).with_name("weights")


def model_types():
    """The families that there is a table of, by their published names."""
    return sorted(path.stem for path in _TABLES.glob("*.txt"))


def weight_shapes(config):
    """The shapes of our weights by their paths."""
    shapes = {}
    for row in read_table(config.model_type):
        weight, _, third = row["weight"].partition("@")
        *first, columns = shape_of(row["shape"], config)
        for block in blocks_of(row, config):
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


def blocks_of(row, config):
    """The numbers of the blocks that a row is for, or None for no block."""
    return range(config.sizes["L"]) if "{}" in row["weight"] else [None]


def shape_of(letters, config):
    """The shape that letters and digits, joined by commas, stand for."""
    sizes = config.sizes
    return tuple(
        int(letter) if letter.isdigit() else sizes[letter]
        for letter in letters.split(",")
    )
