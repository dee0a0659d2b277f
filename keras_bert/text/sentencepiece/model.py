"""The file of a SentencePiece model, read and written without SentencePiece.

It is a protobuf message, whose fields are read without its classes.

References:
    [Protocol buffers](https://protobuf.dev/programming-guides/encoding/)
"""

import math
import struct
import typing

from keras_bert.text.normalization.replacements import check_charsmap

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, _UNUSED, _BYTE = range(1, 7)
_MODEL_TYPES = {1: "unigram", 2: "BPE", 3: "word", 4: "character"}

# The numbers of the fields of the messages in sentencepiece_model.proto.
_PIECES, _TRAINER, _NORMALIZER = 1, 2, 3
_TEXT, _SCORE, _KIND = 1, 2, 3
_MODEL_TYPE, _VOCAB_SIZE, _SPACE_AS_SUFFIX, _BYTE_FALLBACK = 3, 4, 24, 35
_CHARSMAP, _DUMMY_PREFIX, _REMOVE_EXTRA_SPACES = 2, 3, 4


class Piece(typing.NamedTuple):
    """A piece of a model.

    Args:
        text: str.
        score: float, the logarithm of its probability.
        kind: int, `NORMAL`, `UNKNOWN`, `CONTROL` or `USER_DEFINED`, or
            another one, which texts are never cut into.
    """

    text: str
    score: float
    kind: int

    def to_bytes(self):
        """The piece as a field of a model."""
        message = bytes_field(_TEXT, self.text.encode())
        message += float_field(_SCORE, self.score)
        return bytes_field(_PIECES, message + int_field(_KIND, self.kind))


class SentencePieceModel:
    """A unigram model.

    Args:
        data: bytes of the file.
        source: str, where they come from, for error messages.

    Attributes:
        pieces: list of `Piece`, in the order of their ids.
        charsmap: bytes, what characters are replaced with, as SentencePiece
            compiles it; may be empty.

    Raises:
        ValueError: the bytes are no such model, or are cut; or the model is
            none that the graph can run.
    """

    def __init__(self, data, source="model"):
        self.data = data
        try:
            self.pieces = [
                _piece(dict(read_fields(value)))
                for number, value in read_fields(data)
                if number == _PIECES
            ]
            self._trainer = self._message(_TRAINER)
            self.charsmap = self._message(_NORMALIZER).get(_CHARSMAP, b"")
            check_charsmap(self.charsmap)
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(
                f"{source} must be a SentencePiece model, and whole. "
                f"Received: {error}."
            ) from None
        _check_kind(self._trainer, source)
        _check_size(self._trainer, len(self.pieces), source)
        _check_pieces(self.pieces, source)

    def _message(self, wanted):
        """The fields of a message; each may stand in several parts."""
        parts = [v for number, v in read_fields(self.data) if number == wanted]
        if not parts:
            raise ValueError("it ends before what tells how it was made")
        return dict(read_fields(b"".join(parts)))

    def graph_bytes(self, pieces, charsmap):
        """The model as the graph runs it, which squeezes white space.

        Args:
            pieces: list of `Piece`, those to cut texts into.
            charsmap: bytes, what characters are replaced with.
        """
        rest = b"".join(
            bytes_field(number, value)
            for number, value in read_fields(self.data)
            if number in (_TRAINER, _NORMALIZER)
        )
        # Parts of a message add up, and the last value counts.
        squeezed = bytes_field(_CHARSMAP, charsmap)
        squeezed += int_field(_DUMMY_PREFIX, 1)
        squeezed += int_field(_REMOVE_EXTRA_SPACES, 1)
        pieces = b"".join(piece.to_bytes() for piece in pieces)
        return pieces + rest + bytes_field(_NORMALIZER, squeezed)


def _piece(fields):
    text = fields[_TEXT].decode("utf-8") if _TEXT in fields else ""
    score = read_float(fields[_SCORE]) if _SCORE in fields else 0.0
    return Piece(text, score, fields.get(_KIND, NORMAL))


def _check_kind(trainer, source):
    model_type = trainer.get(_MODEL_TYPE, 1)
    if model_type != 1:
        name = _MODEL_TYPES.get(model_type, model_type)
        raise ValueError(
            f"{source} must be a unigram model, as ALBERT's is: the graph's "
            f"op cuts texts otherwise with others. Received: {name}."
        )
    if trainer.get(_BYTE_FALLBACK):
        raise ValueError(
            f"{source} must do without bytes for unknown characters, which "
            "the graph's op does not know. Received: byte_fallback=true."
        )
    if trainer.get(_SPACE_AS_SUFFIX):
        raise ValueError(
            f"{source} must mark where words begin. Received: "
            "treat_whitespace_as_suffix=true."
        )


def _check_size(trainer, num_pieces, source):
    vocab_size = trainer.get(_VOCAB_SIZE, num_pieces)
    # With hard_vocab_limit=false there may be fewer than were asked for.
    if not 0 < num_pieces <= vocab_size:
        raise ValueError(
            f"{source} must hold 1 to {vocab_size} pieces, as many as it says "
            f"it was made with. Received: {num_pieces}."
        )


def _check_pieces(pieces, source):
    for index, piece in enumerate(pieces):
        if not piece.text or "\0" in piece.text:
            raise ValueError(
                f"{source} must hold texts as pieces. Received: "
                f"{piece.text!r} with id {index}."
            )
        if not math.isfinite(piece.score):
            raise ValueError(
                f"{source} must hold finite scores. Received: {piece.score} "
                f"for {piece.text!r}."
            )
        if piece.kind == _BYTE or not NORMAL <= piece.kind <= _BYTE:
            raise ValueError(
                f"{source} must hold pieces of the kinds 1 to 5. Received: "
                f"{piece.kind} for {piece.text!r}."
            )


_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MOST_VARINT_BYTES = 10


def read_fields(data):
    """Yields the number and the value of each field.

    Args:
        data: bytes of a message.

    Yields:
        Pairs of an int and an int, or bytes: of a text or a message, or the
        four or eight bytes of a number of fixed size.

    Raises:
        ValueError: the bytes are no message, or cut.
    """
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == _VARINT:
            value, position = _read_varint(data, position)
            yield number, value
            continue
        if wire_type == _BYTES:
            length, position = _read_varint(data, position)
        elif wire_type in (_FIXED32, _FIXED64):
            length = 4 if wire_type == _FIXED32 else 8
        else:
            raise ValueError(f"no protobuf message: wire type {wire_type}")
        if not number or position + length > len(data):
            raise ValueError(f"cut at byte {len(data)}, or no message")
        yield number, data[position : position + length]
        position += length


def read_float(value):
    """The float of the four bytes of a field."""
    if not isinstance(value, bytes) or len(value) != 4:
        raise ValueError(f"no float: {value!r}")
    return struct.unpack("<f", value)[0]


def bytes_field(number, value):
    """A field that holds bytes: a text or a message."""
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def int_field(number, value):
    """A field that holds an int, a bool or a name."""
    return _varint(number << 3 | _VARINT) + _varint(value % 2**64)


def float_field(number, value):
    """A field that holds a float."""
    return _varint(number << 3 | _FIXED32) + struct.pack("<f", value)


def _read_varint(data, position):
    value = 0
    for place in range(_MOST_VARINT_BYTES):
        if position + place >= len(data):
            break
        byte = data[position + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, position + place + 1
    raise ValueError(f"no number at byte {position}")


def _varint(value):
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
