"""Builds the normaliser tables that are shipped in `text/normalizers/`.

To write the files anew, from the repository root:

    python -c "from keras_bert.text import normalizer_builder as builder; \
        builder.write_normalizer_models('keras_bert/text/normalizers')"

The output is the same bytes on every supported Python. Those of Hugging Face
are of `tokenizers` 0.23.3.
"""

import functools
import pathlib

from keras_bert.text import albert_normalizer
from keras_bert.text import normalizer
from keras_bert.text.hugging_face_normalizer import mark_changes
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
    for name, build in ALBERT_BUILDERS.items():
        table = albert_normalizer.NORMALIZERS[name].table
        for lowercase, casing in albert_normalizer.CASINGS.items():
            path = pathlib.Path(directory, f"{table}_{casing}.bin")
            path.write_bytes(build(lowercase))


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


def build_google_research_model(lowercase: bool) -> bytes:
    """The same from the rules of google-research/albert.

    Args:
        lowercase: bool, as for `AlbertNormalizer.model`.

    Returns:
        Bytes, the model as `AlbertNormalizer.model` reads it.
    """
    rule = functools.partial(
        albert_normalizer.normalize_code_point, lowercase=lowercase
    )
    return build_table(_replacements(rule))


def build_hugging_face_model(lowercase: bool) -> bytes:
    """The same from the library `tokenizers`, whose data are its own.

    Args, Returns: as of `build_google_research_model`.
    """
    from tokenizers import normalizers

    steps = [normalizers.NFKD(), normalizers.StripAccents()]
    steps += [normalizers.Lowercase()] if lowercase else []
    peer = normalizers.Sequence(steps)

    def rule(code_point):
        character = chr(code_point)
        return mark_changes(character, peer.normalize_str(character))

    return build_table(_replacements(rule))


ALBERT_BUILDERS = {
    albert_normalizer.GOOGLE_RESEARCH: build_google_research_model,
    albert_normalizer.HUGGING_FACE: build_hugging_face_model,
}


def _replacements(rule):
    replacements = ((chr(c), rule(c)) for c in code_points())
    return {c: text for c, text in replacements if c != text}
