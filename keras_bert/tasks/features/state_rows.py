"""Stored states of many texts, as a head takes them."""

import copy

import numpy as np
import tensorflow as tf

from keras_bert import features
from keras_bert.tasks.features.model import STATES

_PLACE = "place"
_NO_PLACE = -1


class StateRows:
    """The states of texts in place of their ids.

    They stay on disk until a batch asks for them, and a batch is laid out as
    that of the ids.

    Args:
        rows: `PackedRows` of the ids.
        states: float16 `(num_tokens, num_layers, hidden_size)`, perhaps
            mapped from a file: the tokens of `rows`, one row after another.
    """

    def __init__(self, rows, states):
        self.states = states
        self._places = rows.beside(
            {_PLACE: np.arange(len(states))}, {_PLACE: _NO_PLACE}
        )

    def __len__(self):
        return len(self._places)

    @property
    def lengths(self):
        """int64 `(num_rows,)`, in tokens."""
        return self._places.lengths

    def part(self, indices):
        """Takes some of the rows, as `PackedRows.part` does."""
        part = copy.copy(self)
        part._places = self._places.part(indices)
        return part

    def place(self, index, width):
        """Returns a row's place in a batch, as `PackedRows.place` does."""
        return self._places.place(index, width)

    def inputs(self, indices):
        """Lays some rows out as wide as the longest, in graph or eagerly.

        Returns:
            A dict of `states`, float16 `(batch_size, width, num_layers,
            hidden_size)`, 0 at padding, and `input_mask`, int32
            `(batch_size, width)`.
        """
        places = self._places.inputs(indices)[_PLACE]
        states = tf.numpy_function(self._read, [places], self.states.dtype)
        states.set_shape([None, None, *self.states.shape[1:]])
        mask = tf.cast(places != _NO_PLACE, tf.int32)
        return {STATES: states, features.INPUT_MASK.name: mask}

    def _read(self, places):
        is_token = places != _NO_PLACE
        shape = (*places.shape, *self.states.shape[1:])
        states = np.zeros(shape, self.states.dtype)
        states[is_token] = self.states[places[is_token]]
        return states


def over_states(encoded, states):
    """Puts states, as for `StateRows`, in place of the ids of `Encoded`."""
    other = copy.copy(encoded)
    other.rows = StateRows(encoded.rows, states)
    return other
