"""The config of a fresh model, checked against data and memory."""

import contextlib
import dataclasses
import math
import pathlib

from absl import logging

from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.training.objectives import OBJECTIVES

# Weight, gradient and two moments, in float32.
_BYTES_EACH = 16
_CONTROL_GROUP = pathlib.Path("/sys/fs/cgroup")
_ACCELERATORS = ("nvidia[0-9]*", "accel*", "vfio/[0-9]*")
# A table may be padded to a multiple of this.
_MOST_PADDED = 128


def fitting_config(recipe, config, vocabulary, facts):
    """Settle the config of `recipe` for the objective and the vocabulary.

    Raises:
        ValueError: the config is of another vocabulary or for another
            objective.
    """
    is_decoder = OBJECTIVES[recipe.objective].is_decoder
    path = recipe.bert_config_file
    _check_objective(recipe, config)
    if config.is_decoder and not is_decoder:
        needed = [name for name, x in OBJECTIVES.items() if x.is_decoder]
        raise ValueError(
            "A --bert_config_file with is_decoder needs "
            f"--objective={' or '.join(needed)}. Received: objective="
            f"{recipe.objective}, bert_config_file={path!r}."
        )
    rows, lines = config.vocab_size, len(vocabulary)
    if not lines <= rows < lines + _MOST_PADDED:
        if not facts.confirms(vocabulary):
            raise ValueError(
                f"`vocab_size` in {path} must be the number of word pieces in "
                f"{recipe.vocab_file}. Received: vocab_size={rows}, {lines} "
                f'lines. Write "vocab_size": {lines} into a copy of {path}, '
                "or pass the vocabulary that the records were made with."
            )
        logging.info(
            "The model takes vocab_size=%d of %s, with which the records were "
            "made, not %d of %s.",
            lines,
            recipe.vocab_file,
            rows,
            path,
        )
        rows = lines
    is_told = is_decoder and "is_decoder" in vars(config)
    changes = {"is_decoder": True} if is_told else {}
    return dataclasses.replace(config, vocab_size=rows, **changes)


def _check_objective(recipe, config):
    """Raises ValueError where the family is not made for the objective."""
    parts = {path.partition("/")[0] for path in weight_shapes(config)}
    # Of some families a config says what is looked at, of others the family.
    is_told = "is_decoder" in vars(config)
    parts |= {"masked_lm_head"} if type(config).is_decoder else set()
    made_for = [
        name
        for name, objective in OBJECTIVES.items()
        if {*objective.parts} <= parts
        and objective.is_for(config)
        and (is_told or objective.is_decoder == config.is_decoder)
    ]
    if recipe.objective not in made_for:
        raise ValueError(
            f"--objective must be one that {config.family} is made for: "
            f"{' or '.join(made_for)}. "
            f"Received: objective={recipe.objective}."
        )


def check_lengths(recipe, config):
    """Raises ValueError if the records are longer than a model takes."""
    key, limit = config.size_keys["P"], config.max_seq_length
    if recipe.max_seq_length > limit:
        raise ValueError(
            f"--max_seq_length must be at most {limit}, for which the model "
            "has positions. "
            f"Received: max_seq_length={recipe.max_seq_length}, "
            f"{key}={config.sizes['P']}."
        )


def check_fits(config, available=None):
    """Raises ValueError where training a model plainly cannot fit.

    Only weights, gradients and moments are counted, which a run needs at
    least. Unknown memory is not checked: that of an accelerator, or of a
    system that does not report it.

    Args:
        config: a config of any family.
        available: int, bytes; those of this machine by default.
    """
    available = available or available_bytes()
    needed = _BYTES_EACH * num_parameters(config)
    if available is not None and needed > available:
        width, inner, depth, rows = (config.size_keys[x] for x in "HILV")
        raise ValueError(
            f"The model must fit in memory: smaller {width}, {inner}, {depth} "
            f"or {rows} are needed. "
            f"Received: {num_parameters(config) / 1e6:.0f} million weights, "
            f"which take {needed / 1e9:.1f} GB with gradients and moments; "
            f"{available / 1e9:.1f} GB are free."
        )


def num_parameters(config):
    """Number of weights of a model of any family, with all its parts."""
    return sum(map(math.prod, weight_shapes(config).values()))


def available_bytes():
    """Free memory of this machine; None where it cannot be known."""
    if any(
        any(pathlib.Path("/dev").glob(pattern)) for pattern in _ACCELERATORS
    ):
        return None
    try:
        text = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:  # Not Linux.
        return None
    kibibytes = {
        line.partition(":")[0]: int(line.split()[1])
        for line in text.splitlines()
    }
    free = kibibytes.get("MemAvailable", 0) + kibibytes.get("SwapFree", 0)
    limits = [1024 * free] if free else []
    with contextlib.suppress(OSError, ValueError, KeyError):  # No limit.
        limit = int((_CONTROL_GROUP / "memory.max").read_text())
        used = int((_CONTROL_GROUP / "memory.current").read_text())
        cached = _cached_bytes((_CONTROL_GROUP / "memory.stat").read_text())
        limits.append(limit - used + cached)
    return min(limits, default=None)


def _cached_bytes(text):
    """Of the files read before, which the group gives up when asked."""
    values = dict(line.split() for line in text.splitlines())
    return int(values["active_file"]) + int(values["inactive_file"])
