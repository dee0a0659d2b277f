"""Likely causes of weights and vocabularies that do not fit."""

import re

from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.weight_table import model_types
from keras_bert.checkpoints.weight_table import read_table

_UNKNOWN_FAMILIES = ("longformer", "xlnet")


def report_hint(report, source):
    """Names a likely cause of a failed `LoadReport`, in a sentence or ""."""
    config = source.config
    likely = likely_model_type(source.arrays.shapes, config.model_type)
    if likely != config.model_type:
        return (
            f"The weights look like those of model_type {likely!r}, the "
            f"config is of {config.model_type!r}."
        )
    names = " ".join(report.unexpected)
    if any(family in names for family in _UNKNOWN_FAMILIES):
        return f"It looks like another architecture than {config.family}."
    key, size = config.size_keys["H"], config.sizes["H"]
    for expected, found in report.misshaped.values():
        if len(expected) == len(found) == 2 and expected[-1] != found[-1]:
            return (
                f"The config has {key}={size}{_published(config, size)}, the "
                f"weights seem to have {found[-1]}"
                f"{_published(config, found[-1])}."
            )
    return ""


def likely_model_type(names, told):
    """Finds the known `model_type` that most names of arrays speak for.

    Of those with equally many it is the one that lacks the fewest; where
    nothing speaks against it, `told`, which the config says.
    """
    found = set().union(*map(_forms, names))

    def fit(model_type):
        table = read_table(model_type)
        columns = [column for column in table[0] if column != "shape"]
        known = [row[column] for row in table for column in columns]
        known = set().union(*map(_forms, known))
        lacking = len(known - found) / len(columns)
        return len(found & known), -lacking, model_type == told

    return max(model_types(), key=fit)


def _forms(name):
    """Writes the name for any block, with and without its first word."""
    name = re.sub(r"\d+", "{}", name.partition("@")[0])
    return {name, name.partition(".")[2] or name}


def vocabulary_hint(rows, lines):
    """Names published models with these sizes, in a sentence or "".

    The sizes are the rows of the word embeddings and the lines of a vocabulary.
    """
    known = {}
    for model_type in model_types():
        known |= find_family(model_type).config.published_vocabularies
    if rows not in known or lines not in known:
        return ""
    return (
        f"The weights have the size of {known[rows]}, the vocabulary that of "
        f"{known[lines]}."
    )


def _published(config, size):
    if size not in config.published_widths:
        return ""
    return f" ({config.family}-{config.published_widths[size]})"
