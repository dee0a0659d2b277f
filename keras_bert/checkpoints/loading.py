"""Functions that load checkpoint arrays into the weights of a model.

Names and shapes are compared before the model is built and before any array is
read.
"""

import dataclasses
import math

import keras
import numpy as np
from absl import logging

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.weight_table import weight_shapes

_MOST_NAMED = 4
_ALIGNED = 64  # Bytes.


@dataclasses.dataclass(frozen=True)
class LoadPlan:
    """Arrays to load and their locations in the model.

    Args:
        locations: list of the `ArrayLocation`s to load.
        parts: frozenset of the optional model parts that are in the file.
        fresh: frozenset of the paths of weights to initialize randomly, as
            requested.
        unused: list of array names that do not match any weight.
    """

    locations: list
    parts: frozenset
    fresh: frozenset
    unused: list


def plan_loading(source, allow_missing=()):
    """Compare the arrays of a checkpoint with the weights of its model.

    Args:
        source: `OpenedCheckpoint`.
        allow_missing: model parts ("nsp_head") or weights
            ("embeddings/segment_embeddings") to initialize randomly if they
            are missing.

    Returns:
        A `LoadPlan`, without the model parts that are missing entirely.

    Raises:
        CheckpointError: an array is missing, has a different shape, or is
            unexpected and the source is not lenient.
    """
    shapes = source.arrays.shapes
    locations = source.locations(
        source.config, source.task and source.task.head
    )
    optional = {*find_family(source.config.model_type).parts}
    allowed = {*allow_missing}
    unknown = allowed - {x for location in locations for x in _names(location)}
    if unknown:
        raise ValueError(
            "`allow_missing` must name layers or weights of the model. "
            f"Received: {', '.join(sorted(unknown))}."
        )
    stored = [location for location in locations if location.name in shapes]
    present = {location.layer_name for location in stored}
    # It is an error if only one or two of query, key and value are in the file.
    fresh = {
        location.weight for location in locations if allowed & _names(location)
    }
    fresh -= {location.weight for location in stored}
    missing = [
        location.name
        for location in locations
        if location.layer_name in present or location.layer_name not in optional
        if location.name not in shapes and location.weight not in fresh
    ]
    unused = {*shapes} - {location.name for location in stored} - source.ignored
    unused = sorted(unused)
    misshaped = [
        f"{location.name} (expected {location.shape}, "
        f"found {shapes[location.name]})"
        for location in stored
        if shapes[location.name] != location.shape
    ]
    if missing or misshaped or (unused and not source.is_lenient):
        report = [f"Loaded: {len(stored)}"]
        for word, names in (
            ("Missing", missing),
            ("Unexpected", unused),
            ("Wrong shape", misshaped),
        ):
            if names:
                report.append(f"{word}: {len(names)}, {_some(names)}")
        if misshaped:
            num_tokens = len(source.tokenizer.vocabulary)
            report.append(f"The vocabulary has {num_tokens} tokens")
        raise CheckpointError(
            f"{source.name} does not match its config. {'. '.join(report)}."
        )
    # A tied head that has no weights of its own is always available.
    shapes_of = weight_shapes(source.config)
    bare = optional - {path.partition("/")[0] for path in shapes_of}
    parts = frozenset(optional & (present | bare | allowed))
    return LoadPlan(stored, parts, frozenset(fresh), unused)


def _names(location):
    return {location.layer_name, location.weight}


def load(build, plan, source):
    """Build a model with the weights of a checkpoint.

    Args:
        build: function that creates a `PretrainedModel`.
        plan: `LoadPlan`.
        source: `OpenedCheckpoint`.
    """
    shapes = weight_shapes(source.config, source.task and source.task.head)
    locations = {}
    for location in plan.locations:
        locations.setdefault(location.weight, []).append(location)
    waiting = dict.fromkeys(locations)
    not_finite = []

    def read(weight):
        values = _read(locations[weight], source.arrays, shapes[weight])
        if not np.isfinite(values).all():
            not_finite.append(weight)
        return values

    if keras.backend.backend() == "tensorflow":
        model = _built_with(read, waiting, build)
    else:
        model = build()
        for path, weight in model.weights.items():
            if path in waiting:
                del waiting[path]
                weight.assign(read(path))
    if waiting:
        raise RuntimeError(f"Variables were not created: {_some(waiting)}.")
    for weight in sorted(plan.fresh):
        logging.warning(
            "%s is initialized randomly: it is not in the checkpoint.", weight
        )
    if plan.unused:
        logging.warning(
            "%s: skipped %d arrays that the model does not use: %s.",
            source.name,
            len(plan.unused),
            _some(plan.unused, 20),
        )
    if not_finite:
        logging.warning(
            "%s: %d weights contain NaN or infinity: %s.",
            source.name,
            len(not_finite),
            _some(not_finite, 20),
        )
    return model


def _read(locations, arrays, shape):
    """Read a weight and join query, key and value if stored separately."""
    values = _empty(shape)
    for location in locations:
        location.read_into(values, arrays.read(location.name))
    return values


def _some(names, most=_MOST_NAMED):
    first, more = [*names][:most], len(names) - most
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")


def _empty(shape):
    """Return an empty array with the alignment that TensorFlow requires."""
    size = math.prod(shape)
    room = np.empty(size + _ALIGNED // 4, np.float32)
    start = -room.ctypes.data % _ALIGNED // 4
    return room[start : start + size].reshape(shape)


class _SharedArray:
    """Array that shares its memory with a tensor instead of being copied."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return self._values


def _built_with(read, weights, build):
    """Build a model and initialize its TensorFlow variables with given values.

    No random values are generated, and only one array at a time is in memory in
    addition to the model. Created weights are removed from `weights`.
    """
    import tensorflow as tf  # Not needed by other backends.

    outside = tf.get_current_name_scope()

    def create(next_variable, **arguments):
        scope = tf.get_current_name_scope().removeprefix(outside)
        weight = f"{scope}/{arguments['name']}".removeprefix("/")
        if weight in weights:
            del weights[weight]
            arguments["initial_value"] = tf.constant(_SharedArray(read(weight)))
        return next_variable(**arguments)

    with tf.variable_creator_scope(create):
        return build()
