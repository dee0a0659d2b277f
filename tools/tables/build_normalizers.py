"""Build the normalization tables of `keras_bert.text`.

    python tools/tables/build_normalizers.py

The files of `keras_bert/text/normalization/tables` are replaced. The bytes are
the same on every supported Python. The Hugging Face tables use `tokenizers`
0.23.3.
"""

import itertools
import pathlib
import unicodedata

from absl import app
from absl import flags

from keras_bert.text.normalization import normalizers
from keras_bert.text.normalization.replacements import build_charsmap
from keras_bert.text.normalization.replacements import build_table

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir",
    str(_ROOT / "keras_bert/text/normalization/tables"),
    "Existing output folder; files with the same names are replaced.",
)
# All but U+0000 and the surrogates.
_CODE_POINTS = (*range(1, 0xD800), *range(0xE000, 0x110000))
_SEPARATORS = ("Zs", "Zl", "Zp")
# Since Unicode 13.0, one category has changed that the rules use: the Hanunoo
# sign pamudpod is now Mc.
_CATEGORIES_IN_UNICODE_13 = {"\u1734": "Mn"}


def main(_):
    folder = pathlib.Path(_OUTPUT_DIR.value)
    for (lowercase, strip_accents), mode in normalizers.MODES.items():
        (folder / f"{mode}.bin").write_bytes(_of_bert(lowercase, strip_accents))
    for rules, of_rules in (
        (normalizers.GOOGLE_RESEARCH, _of_google_research),
        (normalizers.XLNET, _of_xlnet),
        (normalizers.HUGGING_FACE, _of_hugging_face),
    ):
        for lowercase, casing in normalizers.CASINGS.items():
            name = f"{normalizers.NORMALIZERS[rules].table}_{casing}.bin"
            (folder / name).write_bytes(of_rules(lowercase))
    (folder / normalizers.COMPOSING).write_bytes(_composing())


def _of_bert(lowercase, strip_accents):
    """Return the table of google-research/bert."""

    def rule(character):
        if not normalizers.is_assigned(ord(character)):
            return character
        if _is_dropped(character):
            return ""
        if _is_white_space(character):
            return " "
        text = character.lower() if lowercase else character
        return _strip_accents(text) if strip_accents else text

    return _built(rule, drops_nul=True, strip_accents=strip_accents)


def _of_google_research(lowercase):
    """Return the table of google-research/albert."""
    return _built(
        lambda x: normalizers.normalize_code_point(ord(x), lowercase=lowercase)
    )


def _of_xlnet(lowercase):
    """Return the table of zihangdai/xlnet."""

    def rule(character):
        code_point = ord(character)
        text = normalizers.normalize_code_point(code_point, lowercase)
        return _mark_changes(character, text)

    return _built(rule)


def _of_hugging_face(lowercase):
    """Return the table of the library `tokenizers`."""
    from tokenizers import normalizers as steps

    chain = [steps.NFKD(), steps.StripAccents()]
    chain += [steps.Lowercase()] if lowercase else []
    peer = steps.Sequence(chain)
    return _built(lambda x: _mark_changes(x, peer.normalize_str(x)))


def _composing():
    """Return a SentencePiece table for DeBERTa in transformers 5.

    Its steps are NFC and the replacement of two or more white spaces by one
    space. Combining marks that do not directly follow their base character are
    not changed.
    """
    known = [c for c in map(chr, _CODE_POINTS) if _is_known(c)]
    replaced = {}
    for character in known:
        composed = _nfc(character)
        if composed != character:
            replaced[character] = composed
        if len(composed) == 1:
            base, *marks = unicodedata.normalize("NFD", character)
            for some in itertools.permutations(marks):
                for place in range(len(some)):
                    key = _nfc(base + "".join(some[:place]))
                    key += "".join(some[place:])
                    if _nfc(key) == composed != key:
                        replaced[key] = composed
    spaces = [c for c in known if c.isspace() and not "\x1c" <= c <= "\x1f"]
    pairs = map("".join, itertools.product(spaces, repeat=2))
    return build_charsmap(
        {**replaced, **dict.fromkeys([*"\t\n\r", *pairs], " ")}
    )


def _is_known(character):
    return normalizers.is_assigned(ord(character))


def _nfc(text):
    return unicodedata.normalize("NFC", text)


def _built(rule, **options):
    replacements = ((c, rule(c)) for c in map(chr, _CODE_POINTS))
    return build_table({c: x for c, x in replacements if c != x}, **options)


def _is_dropped(character):
    if character in "\t\n\r":
        return False
    return character in "\0\ufffd" or _category(character) in ("Cc", "Cf")


def _is_white_space(character):
    # The original keeps U+2028 (Zl) and U+2029 (Zp), and `str.split` removes
    # them. Here they must be replaced: the published Chinese vocabulary has
    # U+2028, and the op reads the vocabulary before it splits at white space.
    return character in "\t\n\r" or _category(character) in _SEPARATORS


def _strip_accents(text):
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(c for c in decomposed if _category(c) != "Mn")


def _category(character):
    pinned = _CATEGORIES_IN_UNICODE_13.get(character)
    return pinned or unicodedata.category(character)


def _mark_changes(character, normalized):
    """Mark dropped characters and quotation marks that the rules create."""
    if character in normalizers.QUOTING:
        return character
    if not normalized:
        return normalizers.SEPARATOR
    for mark in normalizers.QUOTING:
        marked = normalizers.SEPARATOR + mark + normalizers.SEPARATOR
        normalized = normalized.replace(mark, marked)
    return normalized


if __name__ == "__main__":
    app.run(main)
