"""ELMo: two language models of LSTMs, over the characters of words."""

import dataclasses
import math

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
# The LSTMs are sums over all words before, too long for bfloat16.
_DTYPE = "float32"


@dataclasses.dataclass(frozen=True)
class ElmoOptions:
    """Sizes of an ELMo, by the keys of its published `options.json`.

    Args:
        filters: pairs of int, a width in characters and how many filters.
        embedding: int, size of the vector of a character.
        n_characters: int, 262: bytes, five marks and padding.
        max_characters_per_token: int, those of a word with its two marks.
        n_highway: int, how many highways.
        activation: "relu" or "tanh".
        dim, projection_dim: int, size of the cell and of the state of an LSTM.
        n_layers: int, LSTMs in each direction.
        cell_clip, proj_clip: float, bounds of the two.
        use_skip_connections: bool, whether LSTMs from the second layer on add
            what they read.

    References:
        [ELMo](https://arxiv.org/abs/1802.05365), section 3.4
    """

    filters: tuple
    embedding: int
    n_characters: int
    max_characters_per_token: int
    n_highway: int
    activation: str
    dim: int
    projection_dim: int
    n_layers: int
    cell_clip: float
    proj_clip: float
    use_skip_connections: bool

    model_type = "elmo"
    max_seq_length = math.inf

    def __post_init__(self):
        for field in dataclasses.fields(self):
            check_value(field, getattr(self, field.name))
        if self.n_characters != 262:
            raise ValueError(
                "`n_characters` must be 262, the bytes, five marks and "
                f"padding. Received: n_characters={self.n_characters}."
            )

    @property
    def sizes(self):
        """A dict of the width of all states of a word, "H"."""
        return {"H": _NUM_DIRECTIONS * self.projection_dim}

    @classmethod
    def from_json(cls, path):
        """Reads a published `options.json`, except what is about training.

        Raises:
            TypeError, ValueError: keys are missing or unknown, or values wrong.
        """
        options = read_json_object(path)
        values = {**options.get("char_cnn", {}), **options.get("lstm", {})}
        if isinstance(values.get("embedding"), dict):
            values["embedding"] = values["embedding"].get("dim")
        return cls(**values)


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
            each layer, those of the forward model first. Each text begins
            with a state of zeros.
        embeddings: `CharacterEmbeddings`.
        blocks: list of `keras.layers.RNN`, the two of each layer in turn.
    """

    def __init__(self, options):
        self.options = options
        self.embeddings = CharacterEmbeddings(
            options.n_characters - 1,
            options.embedding,
            options.filters,
            options.projection_dim,
            num_highways=options.n_highway,
            activation=options.activation,
            name="words",
        )
        self.blocks = [
            keras.layers.RNN(
                ProjectedLSTMCell(
                    *(options.dim, options.projection_dim),
                    *(options.cell_clip, options.proj_clip),
                    dtype=_DTYPE,
                ),
                return_sequences=True,
                return_state=True,
                go_backwards=bool(place % _NUM_DIRECTIONS),
                dtype=_DTYPE,
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
        for place, (lstm, start) in enumerate(
            zip(self.blocks, starts, strict=True)
        ):
            layer, side = divmod(place, _NUM_DIRECTIONS)
            outputs, *end = lstm(sides[side], initial_state=start, mask=mask)
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
        """Makes the model that reads on where it was in the batch before.

        So the published vectors were computed: each row of a batch goes on
        with the state in which that row of the last batch ended.

        Returns:
            A functional `keras.Model` from `inputs` and two that are zeros at
            first, `state` and `cell`, float32 `(batch_size, 2 * n_layers,
            projection_dim)` and `(batch_size, 2 * n_layers, dim)`, to a dict
            of the next two and of `states`, float `(batch_size, seq_length,
            1 + n_layers, 2 * projection_dim)`.
        """
        num_lstms, options = len(self.blocks), self.options
        given = {
            name: keras.Input((num_lstms, size), name=name)
            for name, size in zip(
                ("state", "cell"),
                (options.projection_dim, options.dim),
                strict=True,
            )
        }
        states, ends = self._run(
            [[x[:, n] for x in given.values()] for n in range(num_lstms)]
        )
        ends = [ops.stack(own, axis=1) for own in zip(*ends, strict=True)]
        outputs = dict(zip(given, ends, strict=True))
        outputs["states"] = ops.stack(states, axis=-2)
        return keras.Model({**self.inputs, **given}, outputs, name="elmo")
