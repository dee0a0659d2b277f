"""ELMo: two language models of LSTMs, over the characters of words."""

import dataclasses

import keras
from keras import ops

from keras_bert import features
from keras_bert.config import check_value
from keras_bert.config import read_json_object
from keras_bert.layers.character_embeddings import CharacterEmbeddings
from keras_bert.layers.projected_lstm import ProjectedLSTMCell

_IDS, _MASK = features.INPUT_IDS.name, features.INPUT_MASK.name
# The forward and the backward model, which never see each other.
_NUM_DIRECTIONS = 2
_PARTS = "char_cnn", "lstm"
_NO_BOUND = (
    "If the model was trained without it, give a large bound, such as 1e9."
)
_CURES = {
    "cell_clip": _NO_BOUND,
    "proj_clip": _NO_BOUND,
    "projection_after_highway": "Remove it if it is true: here the projection "
    "always follows the highway layers.",
}
# bilm-tf trains with 261 characters; padding is one more.
_WITHOUT_PADDING = 261


@dataclasses.dataclass(frozen=True)
class ElmoOptions:
    """Sizes of an ELMo, by the keys of its published `options.json`.

    Args:
        filters, activation, n_highway: as `CharacterEmbeddings` takes them.
        embedding: int, size of the vector of a character.
        n_characters, max_characters_per_token: int, those that there are, 262
            with padding, and those of a word with its two marks.
        dim, projection_dim: int, size of the cell and of the state of an LSTM.
        cell_clip, proj_clip: float, bounds of the two.
        n_layers: int, LSTMs in each direction.
        use_skip_connections: bool, from the second on they add what they read.

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

    @classmethod
    def from_json(cls, path):
        """Read a published `options.json`; options of training are ignored.

        Args:
            path: str.

        Raises:
            ValueError: a key is missing or unknown, or a value is wrong; the
                file and the key are named.
        """
        try:
            return cls(**_values(cls, read_json_object(path)))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _values(options_class, options):
    """Return the values of the fields of `ElmoOptions`."""
    values = {}
    for part in _PARTS:
        if not isinstance(options.get(part), dict):
            raise ValueError(
                f"`{part}` must be an object. An ELMo without `char_cnn` reads "
                "ids of words, which is not supported. "
                f"Received: {part}={options.get(part)!r}."
            )
        values |= options[part]
    if isinstance(values.get("embedding"), dict):
        values["embedding"] = values["embedding"].get("dim")
    names = {field.name for field in dataclasses.fields(options_class)}
    # The unknown ones first.
    for key in sorted(names ^ {*values}, key=lambda x: (x in names, x)):
        fault = "is missing" if key in names else "is unknown"
        raise ValueError(f"`{key}` {fault}. {_CURES.get(key, '')}".strip())
    if values["n_characters"] == _WITHOUT_PADDING:
        raise ValueError(
            "`n_characters` must count the padding. Set it to 262, as the "
            "README of bilm-tf says for a model that was trained with 261. "
            f"Received: n_characters={values['n_characters']}."
        )
    return values


class ElmoBackbone:
    """Runs the layers of an ELMo once; its models share their weights.

    Args:
        options: `ElmoOptions`.

    Attributes:
        inputs: dict of int32 Keras tensors: `input_ids` `(batch_size,
            seq_length, max_characters_per_token)`, the characters of words,
            and `input_mask` `(batch_size, seq_length)`.
        states: list of Keras tensors `(batch_size, seq_length, 2 *
            projection_dim)`: the vector of a word, twice, then the states of
            each layer, those of the forward model first, where each text
            begins with zeros.
        embeddings, blocks: `CharacterEmbeddings`, and RNNs, two for a layer.
    """

    def __init__(self, options):
        self.options = options
        self.embeddings = CharacterEmbeddings(
            *(options.n_characters - 1, options.embedding, options.filters),
            *(options.projection_dim, options.n_highway, options.activation),
            name="words",
        )
        sizes = options.dim, options.projection_dim
        clips = options.cell_clip, options.proj_clip
        # Cells are sums over many words, too long for bfloat16.
        self.below_blocks = [self.embeddings]
        self.final_norm = None
        self.blocks = [
            keras.layers.RNN(
                ProjectedLSTMCell(*sizes, *clips, dtype="float32"),
                return_sequences=True,
                return_state=True,
                go_backwards=bool(place % _NUM_DIRECTIONS),
                dtype="float32",
                name=f"lstm_{place}",
            )
            for place in range(_NUM_DIRECTIONS * options.n_layers)
        ]
        characters = (None, options.max_characters_per_token)
        self.inputs = {
            _IDS: keras.Input(characters, dtype="int32", name=_IDS),
            _MASK: keras.Input((None,), dtype="int32", name=_MASK),
        }
        self.states, _ = self._run([None] * len(self.blocks))

    def _run(self, starts):
        """Returns the states of all layers, and what the LSTMs end in."""
        mask = ops.cast(self.inputs[_MASK], "bool")
        sides = [self.embeddings(self.inputs[_IDS])] * _NUM_DIRECTIONS
        states, ends = [ops.concatenate(sides, axis=-1)], []
        for place, lstm in enumerate(self.blocks):
            layer, side = divmod(place, _NUM_DIRECTIONS)
            outputs, *end = lstm(sides[side], starts[place], mask)
            ends.append(end)
            if side:
                outputs = ops.flip(outputs, axis=1)
            if layer and self.options.use_skip_connections:
                outputs = outputs + sides[side]
            sides[side] = outputs
            if side:
                states.append(ops.concatenate(sides, axis=-1))
        return states, ends

    def encoder(self):
        """Makes the model that reads on where a row of the batch before ended.

        Returns:
            A functional `keras.Model` from `inputs` and two that are zeros at
            first, `state` and `cell`, float32 `(batch_size, 2 * n_layers,
            projection_dim)` and `(batch_size, 2 * n_layers, dim)`, to a dict
            of the next two and of `states`, float `(batch_size, seq_length,
            1 + n_layers, 2 * projection_dim)`.
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
