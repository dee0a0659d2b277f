"""Weight tables of all families, read without NumPy.

The table is `weights.txt` in the folder of the family. It has a row for each
published array. The column `weight` has the path of our weight, and the column
`shape` the shape of our weight: letters of the config's `size_keys`, multiples
such as "3H", or digits. Each format has a column with the names of its arrays:
`{}` is the index of a block, and "-" an array that the format lacks. A column
`tf1_<name>` has the names of a second model in the same TensorFlow checkpoint,
such as the generator of ELECTRA. The column `hugging_face_too` has alternative
names of the arrays in Hugging Face files.

A mark after the path of the weight restricts a row. `@but_first` skips the
first block. `@narrow` skips the row if E equals H, `@convolved` if K is 0,
`@decoded` without `enhanced_mask_decoder`, and `@tasks` without `use_task_id`.
`@tied` marks a copy of the weight's array, and `@unused` a published array that
no model uses. `weight_map` documents the other marks. `task_heads.txt` has the
heads of fine-tuned models; C is the number of outputs.
"""

import dataclasses
import itertools
import string

from keras_bert.locations import FAMILIES
from keras_bert.locations import family_folder
from keras_bert.locations import model_type_of

_BUT_FIRST = "@but_first"
_CONVOLVED = "@convolved"
_DECODED = "@decoded"
_NARROW = "@narrow"
_TASKS = "@tasks"
_TIED = "@tied"
_UNUSED = "@unused"
NOT_STORED = "-"
_LETTERS = string.ascii_uppercase


@dataclasses.dataclass(frozen=True)
class HeadSize:
    """Size of a task head.

    Args:
        part: str, "classifier", "token_classifier", "choice_scorer" or
            "span_classifier".
        num_outputs: int.
    """

    part: str
    num_outputs: int


def model_types():
    """Return the `model_type`s of all families that have a weight table."""
    tables = FAMILIES.glob("*/weights.txt")
    return sorted(model_type_of(path.parent.name) for path in tables)


def weight_shapes(config, head=None):
    """Return a dict mapping weight paths to shapes for a model and its head."""
    sizes = sizes_with(config, head)
    shapes = {}
    for row in rows_with(config, head):
        weight, third = weight_of(row)
        *first, columns = shape_of(row["shape"], sizes)
        for block in blocks_of(row, config):
            shapes[weight.format(*block)] = (
                *first,
                columns if third is None else 3 * columns,
            )
    return shapes


def rows_with(config, head=None):
    """Return the table rows for a config's family and a task head."""
    rows = read_table(config.model_type)
    if head is not None:
        rows += head_rows(config.model_type, head.part)
    return rows + global_rows(config)


def global_rows(config):
    """Return rows for the global attention weights that a table lacks.

    Models from `make_long` have these weights, but published files do not.
    """
    rows = read_table(config.model_type)
    known, added = {row["weight"] for row in rows}, []
    for row in rows if config.attention_window else ():
        block, fused, array = row["weight"].partition("query_key_value/")
        array, _, third = array.partition("@")
        if fused:
            name = ("query", "key", "value")[int(third)]
            weight = f"{block}global_{name}/{array}"
            added.append({"weight": weight, "shape": row["shape"]})
    return [row for row in added if row["weight"] not in known]


def sizes_with(config, head=None):
    """Return a dict mapping letters to sizes; C is the number of outputs."""
    return {**config.sizes, "C": head.num_outputs if head else 0}


def read_table(model_type):
    """Read the rows of a family's table as dicts with column names as keys."""
    return [row for row in _rows(model_type) if not _is_copy(row)]


def tf1_columns(model_type):
    """Return the `weights.txt` columns for TensorFlow 1 checkpoints."""
    return [x for x in read_table(model_type)[0] if x.startswith("tf1")]


def tied_arrays(model_type, column):
    """Return tied arrays, which are compared instead of loaded.

    Returns:
        A dict mapping the names of the copies to the names of the originals,
        both in the format of a column.
    """
    originals = {row["weight"]: row[column] for row in read_table(model_type)}
    return {
        row[column]: originals[row["weight"].removesuffix(_TIED)]
        for row in _rows(model_type)
        if row["weight"].endswith(_TIED) and row[column] != NOT_STORED
    }


def head_rows(model_type, head_name=""):
    """Read the rows of all task heads of a family, or of one head."""
    rows = _read(model_type, "task_heads.txt")
    return [
        row for row in rows if head_name in ("", row["weight"].split("/")[0])
    ]


def unused_arrays(model_type, column):
    """Return the names of checkpoint arrays that no model uses."""
    rows = _rows(model_type)
    return [row[column] for row in rows if row["weight"] == _UNUSED]


def other_names(model_type, column):
    """Return a dict mapping alternative array names to names in a column."""
    rows = _rows(model_type)
    names = {row.get(f"{column}_too", NOT_STORED): row[column] for row in rows}
    names.pop(NOT_STORED)
    return {other: name.partition("@")[0] for other, name in names.items()}


def _is_copy(row):
    return row["weight"].endswith((_TIED, _UNUSED))


def _rows(model_type):
    return _read(model_type, "weights.txt")


def _read(model_type, name):
    path = FAMILIES / family_folder(model_type) / name
    lines = path.read_text(encoding="utf-8").splitlines()
    columns, *rows = (line.split() for line in lines)
    for number, row in enumerate(rows, 2):
        if len(row) != len(columns):
            raise ValueError(
                f"{path}, line {number}, must have the columns "
                f"{', '.join(columns)}. Received: {' '.join(row)}."
            )
    return [dict(zip(columns, row, strict=True)) for row in rows]


def weight_of(row):
    """Return the weight path of a row, and the third of the weight.

    The third is 0 for query, 1 for key, 2 for value, or None for the whole
    weight.
    """
    weight, _, mark = row["weight"].partition("@")
    return weight, int(mark) if mark.isdigit() else None


def blocks_of(row, config):
    """Iterate over the block indices that a row applies to."""
    sizes, weight = config.sizes, row["weight"]
    lacks = (
        (weight.endswith(_NARROW) and sizes["E"] == sizes["H"])
        or (weight.endswith(_CONVOLVED) and not sizes["K"])
        or (weight.endswith(_DECODED) and not config.enhanced_mask_decoder)
        or (weight.endswith(_TASKS) and not config.use_task_id)
    )
    if lacks:
        return iter(())
    counts = config.block_counts if "{}" in row["weight"] else ()
    blocks = itertools.product(*map(range, counts))
    return itertools.islice(blocks, row["weight"].endswith(_BUT_FIRST), None)


def shape_of(letters, sizes):
    """Compute a shape from comma-separated letters, multiples and digits."""
    return tuple(_size_of(size, sizes) for size in letters.split(","))


def _size_of(size, sizes):
    number = size.rstrip(_LETTERS)
    letter = size[len(number) :]
    return int(number or 1) * (sizes[letter] if letter else 1)
