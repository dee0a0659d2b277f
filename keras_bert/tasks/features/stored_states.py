"""The states of an encoder's layers, kept in a file, as a head takes them."""

import copy
import dataclasses
import hashlib
import json
import pathlib

import google_crc32c
import numpy as np
import tensorflow as tf
from absl import logging
from keras import ops

from keras_bert import artifacts
from keras_bert import features
from keras_bert.tasks.features.model import STATES
from keras_bert.tasks.features.model import STATES_DTYPE
from keras_bert.tasks.fine_tuning.forward import Forward

# Of so many rows the states may be in memory at once.
_ROWS_AT_ONCE = 1024
_KEY_LENGTH = 16
_PLACE = "place"
_NO_PLACE = -1


def stored_states(states_model, rows, about, directory):
    """The states of rows, computed unless the directory has them.

    The file is called after all that the states depend on, so that a
    directory may be shared by models, layers and data sets.

    Args:
        states_model: `keras.Model` made by `states_of_layers`.
        rows: `PackedRows`.
        about: dict for JSON, what else tells these states from others.
        directory: str, where the file is or goes; made if needed.

    Returns:
        float16 `(num_tokens, num_layers, hidden_size)`, mapped from the file:
        the tokens of the rows, one row after another.

    Raises:
        ValueError: a file of that name is there that we did not write, or
            that was altered since; or the states do not fit in float16.
    """
    artifacts.check_writable(directory)
    record = {
        **about,
        "dtype": STATES_DTYPE,
        "weights_crc32c": _crc_of_weights(states_model),
        "inputs_crc32c": _crc_of_rows(rows),
        "rows": len(rows),
    }
    name = f"states-{_key(record)}.npy"
    path = pathlib.Path(directory, name)
    if path.exists():
        _check_record(path, record)
        logging.info("The states of %d texts are in %s.", len(rows), path)
    else:
        with artifacts.file(path, {STATES: record}) as temporary:
            _write(states_model, rows, temporary)
        logging.info("Wrote the states of %d texts to %s.", len(rows), path)
    return np.load(path, mmap_mode="r")


def described_encoder(pretrained, preprocess, layers):
    """Describes what tells the states of one encoder from those of others."""
    return {
        "model_type": pretrained.config.model_type,
        "config": dataclasses.asdict(pretrained.config),
        "compute_dtype": pretrained.backbone.blocks[-1].compute_dtype,
        "layers": [*layers],
        "seq_length": preprocess.seq_length,
        "truncation": preprocess.truncation,
    }


def _check_record(path, record):
    _, values = artifacts.manifest_of(path)
    if values is None or values.get(STATES) != record:
        raise ValueError(
            f"{path} must hold states of this model and these texts. "
            "Received: a file of which no manifest beside it says so. Move it "
            "away, or name another directory."
        )


def _write(states_model, rows, path):
    """Each row goes to its place, in whatever order they are computed."""
    ends = np.cumsum(rows.lengths)
    starts = ends - rows.lengths
    shape = (int(ends[-1]), *states_model.output[STATES].shape[2:])
    forward = Forward(states_model)
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file,
            {"descr": "<f2", "fortran_order": False, "shape": shape},
        )
        begin, token_bytes = file.tell(), 2 * int(np.prod(shape[1:]))
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            some = np.arange(first, min(first + _ROWS_AT_ONCE, len(rows)))
            part = rows.part(some)
            for indices, outputs in forward(part):
                for index, states in zip(indices, outputs[STATES], strict=True):
                    tokens = states[part.place(index, len(states))]
                    _check_finite(tokens)
                    at = begin + token_bytes * int(starts[some[index]])
                    file.seek(at)
                    file.write(tokens.astype("<f2").tobytes())


def _check_finite(states):
    if not np.isfinite(states).all():
        raise ValueError(
            "The states of the encoder must be finite and fit in "
            f"{STATES_DTYPE}. Received: some that do not. Choose other "
            "`layers`, or look for NaN in the weights."
        )


def _crc_of_weights(model):
    crc = 0
    for weight in model.weights:
        crc = google_crc32c.extend(crc, weight.path.encode())
        crc = _extended(crc, ops.convert_to_numpy(weight))
    return crc


def _crc_of_rows(rows):
    crc = _extended(0, rows.lengths)
    for name in sorted(rows.values):
        crc = google_crc32c.extend(crc, name.encode())
        crc = _extended(crc, rows.values[name])
    return crc


def _extended(crc, array):
    return google_crc32c.extend(crc, np.ascontiguousarray(array).tobytes())


def _key(record):
    text = json.dumps(record, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_LENGTH]


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
