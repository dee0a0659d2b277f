"""SentencePiece as the `tokenizer.json` of Hugging Face, in and out.

Without that file `transformers` 5 reads a `spiece.model` otherwise than
SentencePiece: behind a user-defined symbol such as "(" it begins a word.
"""

import base64
import functools
import typing

from keras_bert.text.normalization.normalizers import CASINGS
from keras_bert.text.normalization.normalizers import HUGGING_FACE
from keras_bert.text.normalization.normalizers import MODEL
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.normalization.normalizers import QUOTE
from keras_bert.text.normalization.normalizers import QUOTING
from keras_bert.text.normalization.normalizers import combining_characters
from keras_bert.text.normalization.normalizers import composing_charsmap
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.model import Piece
from keras_bert.text.sentencepiece.model import SentencePieceModel
from keras_bert.text.sentencepiece.model import bytes_field
from keras_bert.text.sentencepiece.model import int_field
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary
from keras_bert.text.sentencepiece.words import words_of_tokens

_METASPACE = {
    "type": "Metaspace",
    "replacement": "▁",
    "prepend_scheme": "always",
    "split": True,
}
_WORDS = [{"type": "WhitespaceSplit"}, _METASPACE]
# White space to Python, but not to `tokenizers` or not to the model's table.
_WHITE_SPACE = "[\x0b\x1c-\x1f]"
_PRECOMPILED, _TABLE = "Precompiled", "precompiled_charsmap"
# As a model squeezes white space: what follows its own table.
_SQUEEZING = [
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
]
# DeBERTa's steps in transformers 5, which leaves the model's table out.
_COMPOSING = [
    {
        "type": "Replace",
        "pattern": {"Regex": r"\s{2,}|[\n\r\t]"},
        "content": " ",
    },
    {"type": "NFC"},
    {"type": "Strip", "strip_left": False, "strip_right": True},
]
# Fields of a model and of its parts, see sentencepiece_model.proto.
_TRAINER, _NORMALIZER = 2, 3
_UNKNOWN = 40
_IDS = {41: -1, 42: -1, 43: 0}  # Begin, end, padding.
_MODEL_TYPE, _UNIGRAM, _VOCAB_SIZE, _CHARSMAP = 3, 1, 4, 2


def fast_parts(vocabulary, lowercase, normalizer):
    """Make the parts of a `tokenizer.json` that cut texts.

    Args:
        vocabulary: `SentencePieceVocabulary`.
        lowercase: bool, lower-case the text.
        normalizer: str, a key of `NORMALIZERS`.

    Returns:
        A dict for JSON.
    """
    follows_model = normalizer == MODEL
    steps = [] if follows_model else _normalizer_steps(normalizer, lowercase)
    charsmap = vocabulary.model.charsmap
    if charsmap:
        encoded = base64.b64encode(charsmap).decode()
        steps.append({"type": _PRECOMPILED, _TABLE: encoded})
    steps += _SQUEEZING if follows_model else []
    words = _WORDS[1:] if follows_model else _WORDS
    scores = {p.text: p.score for p in vocabulary.model.pieces}
    return {
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": words},
        "decoder": _METASPACE,
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unk_id,
            "vocab": [[t, scores.get(t, 0.0)] for t in vocabulary.tokens],
            "byte_fallback": False,
        },
    }


class FastTokenizer(typing.NamedTuple):
    """A `tokenizer.json`, read."""

    vocabulary: SentencePieceVocabulary
    lowercase: bool
    normalizer: str  # `MODEL` or a key of `NORMALIZERS`.


def from_tokenizer_json(values, source):
    """Reads what a `tokenizer.json` holds.

    The pieces with their scores, the table of replacements and the normalizer
    are read. The special tokens say whose roles and ids they are. The other
    parts must be as ALBERT's are, or follow the rules of the model only.

    Args:
        values: dict, what the file holds.
        source: str, where it comes from, for error messages.

    Returns:
        `FastTokenizer`.

    Raises:
        ValueError: it holds anything else.
    """
    try:
        model = values["model"]
        if model["type"] != "Unigram":
            raise ValueError(f"a model of the type {model['type']}")
        added = values.get("added_tokens") or []
        tokens = {text for text, _ in model["vocab"]}
        words = words_of_tokens(tokens | {token["content"] for token in added})
        normalizer = values["normalizer"]
        steps = [*normalizer.get("normalizers", [normalizer])]
        tables = [x[_TABLE] for x in steps if x["type"] == _PRECOMPILED]
        charsmap = base64.b64decode(tables[0] if tables else "")
        if steps == _COMPOSING and words.normalizer == MODEL:
            charsmap, normalizer, lowercase = composing_charsmap(), MODEL, False
        elif words.normalizer == MODEL:
            normalizer, lowercase = _squeezing_only(steps), False
        else:
            steps = steps[: -len(tables) or None]
            normalizer, lowercase = _known_steps(steps)
        splitter = values["pre_tokenizer"]
        _check_words(splitter.get("pretokenizers", [splitter]), normalizer)
        _check_added(added, words.roles)
        data = _model_bytes(model, charsmap, words.roles)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as e:
        raise ValueError(
            f"{source} must hold a Unigram model with ALBERT's normalizer. "
            f"Received: {_told(e)}. If the model was trained with its "
            "SentencePiece model, put that file (spm.model, spiece.model or "
            "sentencepiece.bpe.model) in the place of this one."
        ) from None
    vocabulary = SentencePieceVocabulary(
        SentencePieceModel(data, source), source, words
    )
    return FastTokenizer(vocabulary, lowercase, normalizer)


def _told(error):
    told = str(error)
    return f"nothing named {told}" if isinstance(error, KeyError) else told


def _known_steps(steps):
    """Whose rules the steps are, and whether they lower-case."""
    for name in NORMALIZERS:
        for lowercase in CASINGS:
            if steps == _normalizer_steps(name, lowercase):
                return name, lowercase
    types = ", ".join(str(step["type"]) for step in steps) or "no step"
    raise ValueError(
        f"a normalizer of {types}; ALBERT's is Replace of `` and '' with "
        '", NFKD, StripAccents, and Lowercase or not, then Precompiled'
    )


def _normalizer_steps(normalizer, lowercase):
    """The steps of a normalizer before Precompiled, a list of dicts."""

    def replace(kind, old, new):
        return {"type": "Replace", "pattern": {kind: old}, "content": new}

    if normalizer == HUGGING_FACE:
        steps = [replace("String", 2 * mark, QUOTE) for mark in QUOTING]
        steps += [{"type": "NFKD"}, {"type": "StripAccents"}]
    else:
        dropped = replace("Regex", _class_of_combining(), "")
        white_space = replace("Regex", _WHITE_SPACE, " ")
        steps = [white_space, {"type": "NFKD"}, dropped]
    return steps + ([{"type": "Lowercase"}] if lowercase else [])


@functools.cache
def _class_of_combining():
    """A class of a pattern that matches `combining_characters()`."""
    ranges = []
    for character in combining_characters():
        if ranges and ord(ranges[-1][1]) == ord(character) - 1:
            ranges[-1][1] = character
        else:
            ranges.append([character, character])
    return f"[{''.join(f'{first}-{last}' for first, last in ranges)}]"


def _squeezing_only(steps):
    """`MODEL`, or ValueError if a step does more than the model does."""
    known = [_PRECOMPILED, *(step["type"] for step in _SQUEEZING)]
    types = [str(step["type"]) for step in steps]
    patterns = [x["pattern"] for x in steps if x["type"] == "Replace"]
    if {*types} - {*known} or any(
        pattern != _SQUEEZING[1]["pattern"] for pattern in patterns
    ):
        raise ValueError(
            f"a normalizer of {', '.join(types)}; that of a model only is "
            f"{', '.join(known)} of several spaces"
        )
    return MODEL


def _check_words(steps, normalizer):
    types = [step["type"] for step in steps]
    known = [word["type"] for word in _WORDS]
    # A model splits at spaces itself.
    if types not in ([known, known[1:]] if normalizer == MODEL else [known]):
        raise ValueError(f"a pre-tokenizer of {', '.join(types)}")
    # Files of before tokenizers 0.19 say it in the second way.
    scheme = steps[-1].get("prepend_scheme", "always")
    if scheme != "always" or not steps[-1].get("add_prefix_space", True):
        raise ValueError("a pre-tokenizer that marks no word at the beginning")


def _check_added(tokens, roles):
    others = {token["content"] for token in tokens} - {*roles.values()}
    if others:
        raise ValueError(
            f"the added token {min(others)!r}, behind which words begin"
        )


def _model_bytes(model, charsmap, roles):
    pieces = [Piece(text, score, NORMAL) for text, score in model["vocab"]]
    unknown = model["unk_id"]
    pieces[unknown] = pieces[unknown]._replace(kind=UNKNOWN)
    hidden = {*roles.values()} - {pieces[unknown].text}
    trainer = int_field(_MODEL_TYPE, _UNIGRAM)
    trainer += int_field(_VOCAB_SIZE, len(pieces))
    trainer += int_field(_UNKNOWN, unknown)
    trainer += b"".join(int_field(key, value) for key, value in _IDS.items())
    return (
        b"".join(
            piece._replace(kind=CONTROL).to_bytes()
            if piece.text in hidden
            else piece.to_bytes()
            for piece in pieces
        )
        + bytes_field(_TRAINER, trainer)
        + bytes_field(_NORMALIZER, bytes_field(_CHARSMAP, charsmap))
    )
