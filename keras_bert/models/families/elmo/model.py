"""ELMo: a bidirectional LSTM language model with a character CNN."""

import dataclasses
import typing

import keras
from keras import ops

from keras_bert import features
from keras_bert.config import check_value
from keras_bert.config import read_json_object
from keras_bert.layers.embeddings.character_embeddings import (
    CharacterEmbeddings,
)
from keras_bert.layers.heads.projected_lstm import ProjectedLSTMCell
from keras_bert.messages import brief
from keras_bert.typing import Path

_IDS, _MASK = features.INPUT_IDS.name, features.INPUT_MASK.name
# The forward and the backward model are independent.
_NUM_DIRECTIONS = 2
_SECTIONS = "char_cnn", "lstm"
_NO_BOUND = (
    "If the model was trained without clipping, set a large value such as 1e9."
)
_CURES = {
    "cell_clip": _NO_BOUND,
    "proj_clip": _NO_BOUND,
    "projection_after_highway": "If it is true, remove it: the projection "
    "always follows the highway layers.",
}
# bilm-tf trains with 261 characters, without the padding character.
_WITHOUT_PADDING = 261


@dataclasses.dataclass(frozen=True)
class ElmoOptions:
    """Configuration of ELMo with the keys of the published `options.json`.

    Args:
        filters: filters of `CharacterEmbeddings`.
        activation, n_highway: activation and number of highway layers of
            `CharacterEmbeddings`.
        embedding: size of a character vector.
        n_characters: number of characters, 262 with padding.
        max_characters_per_token: maximum number of characters of a word,
            including the special characters for its start and end.
        dim: size of the cell state of an LSTM.
        projection_dim: size of the hidden state of an LSTM.
        cell_clip, proj_clip: maximum absolute values of the cell and hidden
            states.
        n_layers: number of LSTM layers per direction.
        use_skip_connections: whether all LSTM layers except the first add
            their input to their output.

    References:
        [ELMo](https://arxiv.org/abs/1802.05365), section 3.4
    """

    filters: tuple
    activation: str
    n_highway: int
    embedding: int
    n_characters: int
    max_characters_per_token: int
    dim: int
    projection_dim: int
    cell_clip: float
    proj_clip: float
    n_layers: int
    use_skip_connections: bool

    model_type = "elmo"

    def __post_init__(self):
        for field in dataclasses.fields(self):
            check_value(field, getattr(self, field.name))

    def fields(self) -> dict[str, typing.Any]:
        """Return a dict of the options for JSON."""
        filters = [list(pair) for pair in self.filters]
        return {**dataclasses.asdict(self), "filters": filters}

    @classmethod
    def from_json(cls, path: Path) -> typing.Self:
        """Read a published `options.json`. Training options are ignored.

        Args:
            path: path of the file.

        Raises:
            ValueError: a key is missing or unknown, or a value is invalid.
        """
        try:
            return cls(**_values(cls, read_json_object(path)))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _values(options_class, options):
    """Return the values of the fields of `ElmoOptions`."""
    values = {}
    for section in _SECTIONS:
        if not isinstance(options.get(section), dict):
            raise ValueError(
                f"`{section}` must be an object. An ELMo without `char_cnn` "
                "takes word ids, which is not supported. "
                f"Received: {section}={brief(options.get(section))}."
            )
        values |= options[section]
    if isinstance(values.get("embedding"), dict):
        values["embedding"] = values["embedding"].get("dim")
    names = {field.name for field in dataclasses.fields(options_class)}
    # Report unknown keys first.
    for key in sorted(names ^ {*values}, key=lambda x: (x in names, x)):
        fault = "is missing" if key in names else "is unknown"
        raise ValueError(f"`{key}` {fault}. {_CURES.get(key, '')}".strip())
    if values["n_characters"] == _WITHOUT_PADDING:
        raise ValueError(
            "`n_characters` must include the padding. Set it to 262, as the "
            "README of bilm-tf instructs for a model trained with 261. "
            f"Received: n_characters={values['n_characters']}."
        )
    return values


class ElmoBackbone:
    """Layers of an ELMo model shared by several Keras models.

    Args:
        options: `ElmoOptions`.

    Attributes:
        inputs: dict of int32 Keras tensors: `input_ids` `(batch_size,
            seq_length, max_characters_per_token)`, the characters of words,
            and `input_mask` `(batch_size, seq_length)`.
        states: list of Keras tensors `(batch_size, seq_length, 2 *
            projection_dim)`, computed with zero initial LSTM states. The first
            tensor contains each word vector twice. The others concatenate the
            forward and backward hidden states of each layer.
        embeddings: `CharacterEmbeddings`.
        blocks: list with a forward and a backward `keras.layers.RNN` for each
            layer.
    """

    def __init__(self, options: ElmoOptions):
        self.options = options
        self.embeddings = CharacterEmbeddings(
            options.n_characters - 1,
            options.embedding,
            options.filters,
            options.projection_dim,
            options.n_highway,
            options.activation,
            name="words",
        )
        # Cell states are sums over many words, which need float32 precision.
        self.below_blocks = [self.embeddings]
        self.final_norm = None
        self.blocks = [
            keras.layers.RNN(
                ProjectedLSTMCell(
                    options.dim,
                    options.projection_dim,
                    options.cell_clip,
                    options.proj_clip,
                    dtype="float32",
                ),
                return_sequences=True,
                return_state=True,
                go_backwards=bool(index % _NUM_DIRECTIONS),
                dtype="float32",
                name=f"lstm_{index}",
            )
            for index in range(_NUM_DIRECTIONS * options.n_layers)
        ]
        characters = (None, options.max_characters_per_token)
        self.inputs = {
            _IDS: keras.Input(characters, dtype="int32", name=_IDS),
            _MASK: keras.Input((None,), dtype="int32", name=_MASK),
        }
        self.states, _ = self._run([None] * len(self.blocks))

    def _run(self, starts):
        """Return the hidden states of all layers and the final LSTM states."""
        mask = ops.cast(self.inputs[_MASK], "bool")
        sides = [self.embeddings(self.inputs[_IDS])] * _NUM_DIRECTIONS
        states, ends = [ops.concatenate(sides, axis=-1)], []
        for index, lstm in enumerate(self.blocks):
            layer, side = divmod(index, _NUM_DIRECTIONS)
            outputs, *end = lstm(sides[side], starts[index], mask)
            ends.append(end)
            if side:
                outputs = ops.flip(outputs, axis=1)
            if layer and self.options.use_skip_connections:
                outputs = outputs + sides[side]
            sides[side] = outputs
            if side:
                states.append(ops.concatenate(sides, axis=-1))
        return states, ends

    def encoder(self) -> keras.Model:
        """Build a model that takes and returns the LSTM states.

        Returns:
            A functional `keras.Model` that maps `inputs` and the initial LSTM
            states to a dict with the final LSTM states and `states`, float
            `(batch_size, seq_length, 1 + n_layers, 2 * projection_dim)`. The
            LSTM states are `state`, float32 `(batch_size, 2 * n_layers,
            projection_dim)`, and `cell`, float32 `(batch_size, 2 * n_layers,
            dim)`. Pass zeros for the first batch.
        """
        count, options = len(self.blocks), self.options
        state = keras.Input((count, options.projection_dim), name="state")
        cell = keras.Input((count, options.dim), name="cell")
        given = {"state": state, "cell": cell}
        starts = [[state[:, n], cell[:, n]] for n in range(count)]
        states, ends = self._run(starts)
        ends = [ops.stack(own, axis=1) for own in zip(*ends, strict=True)]
        outputs = {"states": ops.stack(states, axis=-2)}
        outputs |= zip(given, ends, strict=True)
        return keras.Model(self.inputs | given, outputs, name="elmo")
