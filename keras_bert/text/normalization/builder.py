"""Builds the normaliser tables that are shipped in `tables/`.

To write the files anew, from the repository root:

    python -c "from keras_bert.text.normalization import builder; \
        builder.write_normalizer_models('keras_bert/text/normalization/tables')"

The output is the same bytes on every supported Python. Those of Hugging Face
are of `tokenizers` 0.23.3.
"""

import functools
import pathlib

from keras_bert.text.normalization import albert
from keras_bert.text.normalization import bert
from keras_bert.text.normalization.table import build_table
from keras_bert.text.normalization.table import code_points


def write_normalizer_models(directory: str) -> None:
    """Writes uncased.bin, lowercase.bin and cased.bin, and those of ALBERT.

    Args:
        directory: an existing folder; files of these names are replaced.
    """
    for (lowercase, strip_accents), mode in bert.MODES.items():
        model = _normalizer_model(lowercase, strip_accents)
        pathlib.Path(directory, f"{mode}.bin").write_bytes(model)
    for name, build in ALBERT_BUILDERS.items():
        table = albert.NORMALIZERS[name].table
        for lowercase, casing in albert.CASINGS.items():
            path = pathlib.Path(directory, f"{table}_{casing}.bin")
            path.write_bytes(build(lowercase))


def _normalizer_model(lowercase, strip_accents):
    """Builds one table from the rules of `normalize_code_point`."""
    rule = functools.partial(
        bert.normalize_code_point,
        lowercase=lowercase,
        strip_accents=strip_accents,
    )
    return build_table(
        _replacements(rule), drops_nul=True, strip_accents=strip_accents
    )


def _google_research_model(lowercase):
    """The same from the rules of google-research/albert."""
    rule = functools.partial(albert.normalize_code_point, lowercase=lowercase)
    return build_table(_replacements(rule))


def _hugging_face_model(lowercase):
    """The same from the library `tokenizers`, whose data are its own."""
    from tokenizers import normalizers

    steps = [normalizers.NFKD(), normalizers.StripAccents()]
    steps += [normalizers.Lowercase()] if lowercase else []
    peer = normalizers.Sequence(steps)

    def rule(code_point):
        character = chr(code_point)
        return albert.mark_changes(character, peer.normalize_str(character))

    return build_table(_replacements(rule))


ALBERT_BUILDERS = {
    albert.GOOGLE_RESEARCH: _google_research_model,
    albert.HUGGING_FACE: _hugging_face_model,
}


def _replacements(rule):
    replacements = ((chr(c), rule(c)) for c in code_points())
    return {c: text for c, text in replacements if c != text}
