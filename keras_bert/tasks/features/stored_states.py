"""On-disk cache of hidden states for feature-based training."""

import copy
import hashlib
import json
import pathlib

import google_crc32c
import numpy as np
from absl import logging
from keras import ops

from keras_bert import features
from keras_bert.files.atomic import check_writable
from keras_bert.files.manifest import manifest_of
from keras_bert.files.outputs import new_file
from keras_bert.tasks.features.model import STATES
from keras_bert.tasks.features.model import STATES_DTYPE
from keras_bert.tasks.training.forward import Forward

# Number of rows to keep in memory at a time.
_ROWS_AT_ONCE = 1024
_KEY_LENGTH = 16
_MASK = features.INPUT_MASK.name


def stored_states(states_model, rows, settings, directory):
    """Compute the hidden states of rows, or read them from a cache.

    The file name is a hash of everything that the hidden states depend on, so
    several models, layers and datasets can share a directory.

    Args:
        states_model: `keras.Model`, as returned by `states_of_layers`.
        rows: `RaggedRows`.
        settings: JSON-serializable dict, as returned by `encoder_settings`.
        directory: str, directory of the cache, created if needed.

    Returns:
        Memory-mapped float16 array `(num_tokens, num_layers, hidden_size)`
        with the concatenated tokens of all rows.

    Raises:
        ValueError: the file was written or changed by another program, or the
            hidden states do not fit in float16.
    """
    check_writable(directory)
    record = {
        **settings,
        "dtype": STATES_DTYPE,
        "weights_crc32c": _crc_of_weights(states_model),
        "inputs_crc32c": _crc_of_rows(rows),
        "rows": len(rows),
    }
    name = f"states-{_key(record)}.npy"
    path = pathlib.Path(directory, name)
    if path.exists():
        _check_record(path, record)
        logging.info("Reading hidden states of %d texts: %s.", len(rows), path)
    else:
        with new_file(path, {STATES: record}) as temporary:
            _write(states_model, rows, temporary)
        logging.info("Wrote hidden states of %d texts: %s.", len(rows), path)
    return np.load(path, mmap_mode="r")


def encoder_settings(pretrained, preprocess, layers):
    """Return the settings that an encoder's hidden states depend on."""
    return {
        "model_type": pretrained.config.model_type,
        "config": pretrained.config.fields(),
        "compute_dtype": pretrained.backbone.blocks[-1].compute_dtype,
        "layers": [*layers],
        "seq_length": preprocess.seq_length,
        "truncation": preprocess.truncation,
    }


def _check_record(path, record):
    _, values = manifest_of(path)
    if values is None or values.get(STATES) != record:
        raise ValueError(
            f"{path} has no matching manifest, so it may contain hidden "
            "states of a different model or different texts. Move it, or "
            "choose another directory."
        )


def _write(states_model, rows, path):
    """Compute the hidden states of all rows and write a .npy file."""
    shape = (int(rows.lengths.sum()), *states_model.output[STATES].shape[2:])
    array = np.lib.format.open_memmap(path, "w+", STATES_DTYPE, shape)
    ends, forward = np.cumsum(rows.lengths), Forward(states_model)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        chunk = rows.subset(slice(start, start + _ROWS_AT_ONCE))
        own_ends = ends[start : start + _ROWS_AT_ONCE]
        for indices, outputs in forward(chunk):
            for index, states in zip(indices, outputs[STATES], strict=True):
                tokens = states[chunk.token_slice(index, len(states))]
                _check_finite(tokens)
                end = own_ends[index]
                array[end - len(tokens) : end] = tokens
    array.flush()


def _check_finite(states):
    if not np.isfinite(states).all():
        raise ValueError(
            "The hidden states of the encoder must be finite and fit in "
            f"{STATES_DTYPE}. Received: other values. Choose different "
            "`layers`, or check the weights for NaN."
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


def with_states(encoded, states):
    """Return `Encoded` with hidden states as inputs instead of token ids.

    Args:
        encoded: `Encoded` of texts.
        states: float16 `(num_tokens, num_layers, hidden_size)`, the tokens of
            all rows, concatenated. A memory-mapped array is read batch by
            batch.
    """
    values = {STATES: states, _MASK: np.ones(len(states), np.int32)}
    other = copy.copy(encoded)
    other.rows = encoded.rows.with_values(values, {STATES: 0, _MASK: 0})
    return other
