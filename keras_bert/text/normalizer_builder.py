"""Builds the normaliser tables that are shipped in `text/normalizers/`.

To write the files anew, from the repository root:

    python -c "from keras_bert.text import normalizer_builder as builder; \
        builder.write_normalizer_models('keras_bert/text/normalizers')"

The output is the same bytes on every supported Python.
"""

import functools
import pathlib

from keras_bert.text import albert_normalizer
from keras_bert.text import normalizer
from keras_bert.text.normalizer_table import build_table
from keras_bert.text.normalizer_table import code_points


def write_normalizer_models(directory: str) -> None:
    """Writes uncased.bin, lowercase.bin and cased.bin, and those of ALBERT.

    Args:
        directory: an existing folder; files of these names are replaced.
    """
    for (lowercase, strip_accents), mode in normalizer.MODES.items():
        model = build_normalizer_model(lowercase, strip_accents)
        pathlib.Path(directory, f"{mode}.bin").write_bytes(model)
    for lowercase, mode in albert_normalizer.MODES.items():
        model = build_albert_normalizer_model(lowercase)
        pathlib.Path(directory, f"{mode}.bin").write_bytes(model)


def build_normalizer_model(lowercase: bool, strip_accents: bool) -> bytes:
    """Builds one table from the rules of `normalize_code_point`.

    Args:
        lowercase: bool, as for `normalizer_model`.
        strip_accents: bool, as for `normalizer_model`.

    Returns:
        Bytes, the model as `normalizer_model` reads it.
    """
    rule = functools.partial(
        normalizer.normalize_code_point,
        lowercase=lowercase,
        strip_accents=strip_accents,
    )
    return build_table(
        _replacements(rule), drops_nul=True, strip_accents=strip_accents
    )


def build_albert_normalizer_model(lowercase: bool) -> bytes:
    """The same from the rules of ALBERT.

    Args:
        lowercase: bool, as for `albert_normalizer_model`.

    Returns:
        Bytes, the model as `albert_normalizer_model` reads it.
    """
    return build_table(
        _replacements(
            functools.partial(
                albert_normalizer.normalize_code_point, lowercase=lowercase
            )
        )
    )


def _replacements(rule):
    replacements = ((chr(c), rule(c)) for c in code_points())
    return {c: text for c, text in replacements if c != text}
