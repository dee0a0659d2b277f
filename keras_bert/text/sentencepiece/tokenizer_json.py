"""Conversion of SentencePiece models from and to Hugging Face tokenizer.json.

Without this file, `transformers` 5 tokenizes with a `spiece.model` differently
from SentencePiece: after a user-defined symbol such as "(", a new word begins.
"""

import base64
import functools

from keras_bert.text.conventions import MODEL
from keras_bert.text.normalization.normalizers import CASINGS
from keras_bert.text.normalization.normalizers import HUGGING_FACE
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.normalization.normalizers import QUOTE
from keras_bert.text.normalization.normalizers import QUOTING
from keras_bert.text.normalization.normalizers import XLNET
from keras_bert.text.normalization.normalizers import combining_characters
from keras_bert.text.normalization.normalizers import composing_charsmap
from keras_bert.text.sentencepiece.conventions import conventions_of_tokens
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.model import Piece
from keras_bert.text.sentencepiece.model import SentencePieceModel
from keras_bert.text.sentencepiece.model import model_bytes
from keras_bert.text.sentencepiece.number_splits import ends_number
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary

_METASPACE = {
    "type": "Metaspace",
    "replacement": "▁",
    "prepend_scheme": "always",
    "split": True,
}
_WORDS = [{"type": "WhitespaceSplit"}, _METASPACE]
# White space in Python, but not in `tokenizers` or not in the model's table.
_WHITE_SPACE = "[\x0b\x1c-\x1f]"
_PRECOMPILED, _TABLE = "Precompiled", "precompiled_charsmap"
# Steps after the model's table that collapse white space, as the model does.
_SQUEEZING = [
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
]
# DeBERTa's steps in transformers 5, without the model's table.
_COMPOSING = [
    {
        "type": "Replace",
        "pattern": {"Regex": r"\s{2,}|[\n\r\t]"},
        "content": " ",
    },
    {"type": "NFC"},
    {"type": "Strip", "strip_left": False, "strip_right": True},
]


def fast_components(vocabulary, lowercase, normalizer, keeps_last_space=False):
    """Return the tokenization rules of a `tokenizer.json`.

    Args:
        vocabulary: `SentencePieceVocabulary`.
        lowercase: bool, whether to lower-case texts.
        normalizer: str, a key of `NORMALIZERS`.
        keeps_last_space: bool, whether a space at the end of a text is a piece.

    Returns:
        A JSON-serializable dict.
    """
    follows_model = normalizer == MODEL
    steps = [] if follows_model else _normalizer_steps(normalizer, lowercase)
    charsmap = vocabulary.model.charsmap
    if charsmap:
        encoded = base64.b64encode(charsmap).decode()
        steps.append({"type": _PRECOMPILED, _TABLE: encoded})
    if keeps_last_space:
        steps += _SQUEEZING[1:]
    elif follows_model:
        steps += _SQUEEZING
    words = _WORDS[1:] if follows_model or keeps_last_space else _WORDS
    model = unigram_model(vocabulary)
    if not follows_model and NORMALIZERS[normalizer].splits_numbers:
        # As in transformers 4: pieces such as "9," are never the best.
        model["vocab"] = [
            [t, x - 100 * ends_number(t)] for t, x in model["vocab"]
        ]
    return {
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": words},
        "decoder": _METASPACE,
        "model": model,
    }


def unigram_model(vocabulary):
    """Return the model of a `tokenizer.json` as a dict."""
    scores = {p.text: p.score for p in vocabulary.model.pieces}
    return {
        "type": "Unigram",
        "unk_id": vocabulary.unk_id,
        "vocab": [[t, scores.get(t, 0.0)] for t in vocabulary.tokens],
        "byte_fallback": False,
    }


def from_tokenizer_json(files):
    """Read a Unigram model from a `tokenizer.json`.

    The special tokens determine the conventions. The normalizer must be
    a key of `NORMALIZERS` or the model's.

    Args:
        files: `TokenizerFiles`.

    Returns:
        A `SentencePieceVocabulary`; whether to lower-case texts (bool); the
        normalizer (str), `MODEL` or a key of `NORMALIZERS`; and whether a space
        at the end of a text is a piece (bool).

    Raises:
        ValueError: the file contains a different tokenizer type.
    """
    source, model = str(files.fast_path), files.component("model")
    try:
        # Files older than tokenizers 0.10 do not have the key.
        if model.get("type", "Unigram") != "Unigram":
            raise ValueError(f"a model of type {model['type']}")
        added = {entry["content"] for entry in files.fast_entries()}
        tokens = {text for text, _ in model["vocab"]}
        conventions = conventions_of_tokens(
            tokens | added, files.tokenizer_class
        )
        normalizer = files.fast["normalizer"]
        steps = all_steps = [*normalizer.get("normalizers", [normalizer])]
        tables = [x[_TABLE] for x in steps if x["type"] == _PRECOMPILED]
        charsmap = base64.b64decode(tables[0] if tables else "")
        if conventions.normalizer != MODEL:
            # The last steps are the table and, in transformers 4, a Replace.
            last = [x for x in steps if x["type"] == _PRECOMPILED]
            last += [x for x in steps if x == _SQUEEZING[-1]]
            if last and steps[-len(last) :] == last:
                steps = steps[: -len(last)]
            normalizer, lowercase = _known_steps(steps)
        else:
            normalizer, lowercase = MODEL, False
            if steps == _COMPOSING:
                charsmap = composing_charsmap()
            else:
                _check_squeezing(steps)
        splitter = files.fast["pre_tokenizer"]
        words = splitter.get("pretokenizers", [splitter])
        _check_words(words)
        strips = any(step.get("strip_right") for step in all_steps)
        keeps_last_space = len(words) == 1 and not strips
        data = _model_bytes(model, charsmap, conventions)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as e:
        raise ValueError(
            f"{source} must contain a Unigram model with a known normalizer. "
            f"Received: {e}. If you have the SentencePiece model (spm.model, "
            "spiece.model or sentencepiece.bpe.model), replace this file by "
            "it."
        ) from None
    model = SentencePieceModel(data, source)
    vocabulary = SentencePieceVocabulary(model, source, conventions)
    return vocabulary, lowercase, normalizer, keeps_last_space


def _known_steps(steps):
    """Return the normalizer and casing that correspond to steps."""
    for name in NORMALIZERS:
        for lowercase in CASINGS:
            if steps == _normalizer_steps(name, lowercase):
                return name, lowercase
    types = ", ".join(str(step["type"]) for step in steps) or "no step"
    raise ValueError(
        f"a normalizer with the steps {types}; supported steps, in this "
        "order: Replace (`` and '' with \"), NFKD, StripAccents, Lowercase "
        "(optional), Precompiled, Replace (several spaces with one)"
    )


def _normalizer_steps(normalizer, lowercase):
    """Return the normalizer steps before Precompiled as a list of dicts."""

    def replace(pattern_type, old, new):
        return {
            "type": "Replace",
            "pattern": {pattern_type: old},
            "content": new,
        }

    steps = [replace("String", 2 * mark, QUOTE) for mark in QUOTING]
    if normalizer == HUGGING_FACE:
        steps += [{"type": "NFKD"}, {"type": "StripAccents"}]
    else:
        dropped = replace("Regex", _class_of_combining(), "")
        white_space = replace("Regex", _WHITE_SPACE, " ")
        steps = steps if normalizer == XLNET else []
        steps += [white_space, {"type": "NFKD"}, dropped]
    return steps + ([{"type": "Lowercase"}] if lowercase else [])


@functools.cache
def _class_of_combining():
    """Return a regex character class of `combining_characters()`."""
    ranges = []
    for character in combining_characters():
        if ranges and ord(ranges[-1][1]) == ord(character) - 1:
            ranges[-1][1] = character
        else:
            ranges.append([character, character])
    return f"[{''.join(f'{first}-{last}' for first, last in ranges)}]"


def _check_squeezing(steps):
    """Raise ValueError if a step is not part of the model's normalizer."""
    for step in steps:
        if step["type"] != _PRECOMPILED and not any(
            step["type"] == known["type"]
            and step.get("pattern") == known.get("pattern")
            for known in _SQUEEZING
        ):
            raise ValueError(f"a normalizer with the step {step['type']}")


def _check_words(steps):
    types = [step["type"] for step in steps]
    known = [word["type"] for word in _WORDS]
    if types not in (known, known[1:]):  # A model splits at spaces itself.
        raise ValueError(f"a pre-tokenizer of {', '.join(types)}")
    # Files older than tokenizers 0.19 use the second key.
    scheme = steps[-1].get("prepend_scheme", "always")
    if scheme != "always" or not steps[-1].get("add_prefix_space", True):
        raise ValueError("a pre-tokenizer that does not mark the first word")


def _model_bytes(model, charsmap, conventions):
    unknown = model["unk_id"]
    hidden = {*conventions.roles.values(), *conventions.own_pieces}
    pieces = [
        Piece(text, score, CONTROL if text in hidden else NORMAL)
        for text, score in model["vocab"]
    ]
    pieces[unknown] = pieces[unknown]._replace(type=UNKNOWN)
    return model_bytes(
        pieces,
        charsmap,
        model_type=1,
        vocab_size=len(pieces),
        unk_id=unknown,
        bos_id=-1,
        eos_id=-1,
        pad_id=0,
    )
