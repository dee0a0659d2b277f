"""Arrays of a file into the weights of a model: all of them or none.

The whole comparison is made on names and shapes, before a model is built and
before any array is read.
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
class LoadReport:
    """Arrays of a file compared with the weights of a model.

    Args:
        loaded: names of arrays that have their place in the model.
        missing: names of arrays that the model wants.
        unexpected: names of arrays that the model has no place for.
        misshaped: dict from the name of an array to the shapes expected and
            found.
    """

    loaded: tuple
    missing: tuple = ()
    unexpected: tuple = ()
    misshaped: dict = dataclasses.field(default_factory=dict)

    def __str__(self):
        misshaped = [
            f"{name} (expected {expected}, found {found})"
            for name, (expected, found) in self.misshaped.items()
        ]
        counts = [f"Loaded: {len(self.loaded)}"]
        for word, names in (
            ("Missing", self.missing),
            ("Unexpected", self.unexpected),
            ("Of another shape", misshaped),
        ):
            if names:
                counts.append(f"{word}: {len(names)}, {_some(names)}")
        return ". ".join(counts)


@dataclasses.dataclass(frozen=True)
class LoadPlan:
    """Places of the arrays that are loaded.

    Args:
        places: tuple of `Place`, each with an array of the file.
        parts: frozenset of the optional parts that are in the file.
        fresh: frozenset of weights that stay as they were initialized,
            because the caller has named them.
        unused: tuple of the names of arrays that the model has no place for.
    """

    places: tuple
    parts: frozenset
    fresh: frozenset
    unused: tuple = ()


def plan_loading(source, allow_missing=()):
    """Compares what is in a checkpoint with what a model wants.

    Args:
        source: `Source`.
        allow_missing: parts ("nsp_head") or weights
            ("embeddings/segment_embeddings") that may be missing and then
            stay random.

    Returns:
        A `LoadPlan`. A part that is missing as a whole and is not named is
        left out of it.

    Raises:
        CheckpointError: anything is missing or of another shape, or
            unexpected unless the source is lenient. Its `report` is a
            `LoadReport`.
    """
    shapes = source.arrays.shapes
    places = source.places(source.config, source.task and source.task.head)
    optional = find_family(source.config.model_type).parts
    _check_names(allow_missing, places)
    # A weight is there or not: two thirds of a matrix are an error.
    begun = {place.weight for place in places if place.name in shapes}
    fresh = {
        place.weight
        for place in places
        if {place.part, place.weight} & {*allow_missing}
    } - begun
    present = {place.part for place in places if place.name in shapes}
    wanted = [
        place
        for place in places
        if place.part in present or place.part not in optional
    ]
    found = tuple(place for place in wanted if place.name in shapes)
    report = _compare(shapes, places, wanted, fresh, source.ignored)
    surprises = () if source.is_lenient else report.unexpected
    if report.missing or report.misshaped or surprises:
        error = CheckpointError(
            f"{source.name} does not fit its config. {report}."
        )
        error.report = report
        raise error
    # A head that is tied and nothing more has no weight, and is always there.
    shapes_of = weight_shapes(source.config)
    bare = {*optional} - {path.partition("/")[0] for path in shapes_of}
    parts = frozenset({*optional} & (present | bare | {*allow_missing}))
    return LoadPlan(found, parts, frozenset(fresh), report.unexpected)


def _compare(shapes, places, wanted, fresh, ignored):
    return LoadReport(
        loaded=tuple(p.name for p in wanted if p.name in shapes),
        missing=tuple(
            p.name
            for p in wanted
            if p.name not in shapes and p.weight not in fresh
        ),
        unexpected=tuple(
            sorted({*shapes} - {p.name for p in places} - ignored)
        ),
        misshaped={
            p.name: (p.shape, shapes[p.name])
            for p in wanted
            if shapes.get(p.name, p.shape) != p.shape
        },
    )


def load(build, plan, source):
    """Makes a model with the numbers of a `Source`, placed by a `LoadPlan`.

    `build` makes and returns a `PretrainedModel`.
    """
    shapes = weight_shapes(source.config, source.task and source.task.head)
    places = {}
    for place in plan.places:
        places.setdefault(place.weight, []).append(place)
    waiting = dict.fromkeys(places)
    not_finite = []

    def read(weight):
        values = _read(places[weight], source.arrays, shapes[weight])
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
        raise RuntimeError(f"Variables were not made: {_some(waiting)}.")
    for weight in sorted(plan.fresh):
        logging.warning("%s is random: it is not in the checkpoint.", weight)
    if plan.unused:
        logging.warning(
            "%s: skipped %d arrays without a place in the model: %s.",
            source.name,
            len(plan.unused),
            _some(plan.unused, 20),
        )
    if not_finite:
        logging.warning(
            "%s: %d weights hold NaN or infinity: %s.",
            source.name,
            len(not_finite),
            _some(not_finite, 20),
        )
    return model


def _read(places, arrays, shape):
    """Reads an array of our shape from the one that it is, or the three."""
    values = _empty(shape)
    for place in places:
        place.read_into(values, arrays.read(place.name))
    return values


def _check_names(allow_missing, places):
    known = {name for place in places for name in (place.part, place.weight)}
    unknown = sorted({*allow_missing} - known)
    if unknown:
        raise ValueError(
            "`allow_missing` must name layers or weights of the model. "
            f"Received: {', '.join(unknown)}."
        )


def _some(names, most=_MOST_NAMED):
    first, more = [*names][:most], len(names) - most
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")


def _empty(shape):
    """An array at an address of which TensorFlow needs no copy."""
    size = math.prod(shape)
    room = np.empty(size + _ALIGNED // 4, np.float32)
    start = -room.ctypes.data % _ALIGNED // 4
    return room[start : start + size].reshape(shape)


class _Lent:
    """An array that a tensor shares, which would copy one of NumPy."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return self._values


def _built_with(read, weights, build):
    """Builds a model whose TensorFlow variables begin with given numbers.

    No number is drawn or written twice, and one variable at a time is held
    beside the model. Weights that are made are removed from `weights`.
    """
    import tensorflow as tf  # Other backends do without.

    outside = tf.get_current_name_scope()

    def create(next_variable, **arguments):
        scope = tf.get_current_name_scope().removeprefix(outside)
        weight = f"{scope}/{arguments['name']}".removeprefix("/")
        if weight in weights:
            del weights[weight]
            arguments["initial_value"] = tf.constant(_Lent(read(weight)))
        return next_variable(**arguments)

    with tf.variable_creator_scope(create):
        return build()
