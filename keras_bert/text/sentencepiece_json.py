"""ALBERT's tokenizer as the `tokenizer.json` of Hugging Face, in and out.

Without that file `transformers` 5 reads a `spiece.model` otherwise than
SentencePiece: behind a user-defined symbol such as "(" it begins a word.
"""

import base64

from keras_bert.text.protobuf_fields import bytes_field
from keras_bert.text.protobuf_fields import int_field
from keras_bert.text.sentencepiece_model import CONTROL
from keras_bert.text.sentencepiece_model import NORMAL
from keras_bert.text.sentencepiece_model import UNKNOWN
from keras_bert.text.sentencepiece_model import Piece
from keras_bert.text.sentencepiece_model import SentencePieceModel
from keras_bert.text.sentencepiece_vocabulary import ROLES

_QUOTES = [
    {"type": "Replace", "pattern": {"String": quotes}, "content": '"'}
    for quotes in ("``", "''")
]
_UNICODE = [{"type": "NFKD"}, {"type": "StripAccents"}]
_METASPACE = {
    "type": "Metaspace",
    "replacement": "▁",
    "prepend_scheme": "always",
    "split": True,
}
# Fields of a model and of its parts, see sentencepiece_model.proto.
_TRAINER, _NORMALIZER = 2, 3
_IDS = {40: 1, 41: -1, 42: -1, 43: 0}  # Unknown, begin, end, padding.
_MODEL_TYPE, _UNIGRAM, _VOCAB_SIZE, _CHARSMAP = 3, 1, 4, 2


def to_tokenizer_json(vocabulary, lowercase):
    """What a `tokenizer.json` holds.

    Args:
        vocabulary: `SentencePieceVocabulary`.
        lowercase: bool, lower-case the text.

    Returns:
        A dict for JSON.
    """
    charsmap = vocabulary.model.charsmap
    normalizers = [*_QUOTES, *_UNICODE]
    if lowercase:
        normalizers.append({"type": "Lowercase"})
    if charsmap:
        encoded = base64.b64encode(charsmap).decode()
        normalizers.append(
            {"type": "Precompiled", "precompiled_charsmap": encoded}
        )
    words = [{"type": "WhitespaceSplit"}, _METASPACE]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": vocabulary.id_of(token),
                "content": token,
                "single_word": False,
                # White space in front of [MASK] is a part of it.
                "lstrip": token == ROLES["mask"],
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for token in sorted(ROLES.values(), key=vocabulary.id_of)
        ],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": words},
        "post_processor": _layout(vocabulary),
        "decoder": _METASPACE,
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unk_id,
            "vocab": [[p.text, p.score] for p in vocabulary.model.pieces],
            "byte_fallback": False,
        },
    }


def _layout(vocabulary):
    def special(role, segment):
        return {"SpecialToken": {"id": ROLES[role], "type_id": segment}}

    def text(name, segment):
        return {"Sequence": {"id": name, "type_id": segment}}

    single = [special("cls", 0), text("A", 0), special("sep", 0)]
    tokens = [ROLES["cls"], ROLES["sep"]]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, text("B", 1), special("sep", 1)],
        "special_tokens": {
            token: {
                "id": token,
                "ids": [vocabulary.id_of(token)],
                "tokens": [token],
            }
            for token in tokens
        },
    }


def from_tokenizer_json(values, source):
    """The model in a `tokenizer.json`, and whether texts are lower-cased.

    The pieces with their scores and the table of replacements are read. The
    other parts must be as ALBERT's are.

    Args:
        values: dict, what the file holds.
        source: str, where it comes from, for error messages.

    Returns:
        `SentencePieceModel` and a bool.

    Raises:
        ValueError: it holds anything else.
    """
    try:
        model, normalizer = values["model"], values["normalizer"]
        if model["type"] != "Unigram":
            raise ValueError(f"a model of the type {model['type']}")
        steps = {step["type"]: step for step in normalizer["normalizers"]}
        if not {"NFKD", "StripAccents"} <= {*steps}:
            raise ValueError("a normalizer that keeps the accents")
        charsmap = steps.get("Precompiled", {}).get("precompiled_charsmap", "")
        data = _model_bytes(model, base64.b64decode(charsmap))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as e:
        raise ValueError(
            f"{source} must hold a Unigram model with ALBERT's normalizer. "
            f"Received: {e}."
        ) from None
    return SentencePieceModel(data, source), "Lowercase" in steps


def _model_bytes(model, charsmap):
    pieces = [Piece(text, score, NORMAL) for text, score in model["vocab"]]
    unknown = model["unk_id"]
    pieces[unknown] = pieces[unknown]._replace(kind=UNKNOWN)
    hidden = {*ROLES.values()} - {pieces[unknown].text}
    trainer = int_field(_MODEL_TYPE, _UNIGRAM)
    trainer += int_field(_VOCAB_SIZE, len(pieces))
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
