"""Where each of our weights stands in the published checkpoints.

The table is `weights/bert.txt`: a row for each published array, a column for
each format, `{}` for the number of the block. The shape is that of the array in
our model, in letters. What follows an `@` tells how an array lies there:

- `@0`, `@1`, `@2` (our column): a third of the columns of the fused matrix;
- `@T`: transposed;
- `@heads_out`, `@heads_in`: the last or the first axis is apart as
  `(num_heads, head_size)`.
"""

import dataclasses
import pathlib

import numpy as np

# The parts that a checkpoint may lack, each as a whole.
OPTIONAL_PARTS = ("pooler", "masked_lm_head", "nsp_head")

_STRIPE = 64
_COLUMNS = ("weight", "shape", "hugging_face", "tf1", "model_garden")


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


def published_places(config, column):
    """All places of a published format.

    Args:
        config: `BertConfig`.
        column: "hugging_face", "tf1" or "model_garden".

    Returns:
        A list of `Place`.
    """
    return [
        _published_place(row, column, config, block)
        for row in _read_table()
        for block in _blocks(row, config)
    ]


def own_places(config):
    """All places of our own file, which Keras names after the classes."""
    return [
        Place(weight, None, _keras_name(weight), shape)
        for weight, shape in weight_shapes(config).items()
    ]


def weight_shapes(config):
    """The shapes of our weights by their paths."""
    shapes = {}
    for row in _read_table():
        weight, _, third = row["weight"].partition("@")
        *first, columns = _shape(row["shape"], config)
        for block in _blocks(row, config):
            shapes[weight.format(block)] = (
                *first,
                3 * columns if third else columns,
            )
    return shapes


def _read_table():
    path = pathlib.Path(__file__).with_name("weights") / "bert.txt"
    _, *lines = path.read_text(encoding="utf-8").splitlines()
    return [dict(zip(_COLUMNS, line.split(), strict=True)) for line in lines]


def _blocks(row, config):
    return range(config.num_hidden_layers) if "{}" in row["weight"] else [None]


def _shape(letters, config):
    sizes = {
        "V": config.vocab_size,
        "P": config.max_position_embeddings,
        "S": config.type_vocab_size,
        "H": config.hidden_size,
        "I": config.intermediate_size,
        "2": 2,
    }
    return tuple(sizes[letter] for letter in letters.split(","))


def _published_place(row, column, config, block):
    weight, _, third = row["weight"].partition("@")
    name, _, mark = row[column].partition("@")
    shape = _shape(row["shape"], config)
    heads = (
        config.num_attention_heads,
        config.hidden_size // config.num_attention_heads,
    )
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


# Keras names the groups of a weights file after the classes of the layers,
# and numbers the variables of a layer.
_KERAS_LAYERS = {"embeddings": "bert_embeddings", "pooler": "dense"}
_KERAS_VARIABLES = {
    "kernel": 0,
    "bias": 1,
    "gamma": 0,
    "beta": 1,
    "word_embeddings": 0,
    "position_embeddings": 1,
    "segment_embeddings": 2,
    "output_bias": 0,
}


def _keras_name(weight):
    layer, *sublayers, variable = weight.split("/")
    if layer.startswith("block_"):
        number = layer.removeprefix("block_")
        layer = "transformer_encoder_block" + f"_{number}" * (number != "0")
    layer = _KERAS_LAYERS.get(layer, layer)
    number = _KERAS_VARIABLES[variable]
    return "/".join(["layers", layer, *sublayers, "vars", str(number)])
