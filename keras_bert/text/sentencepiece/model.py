"""Reader and writer for SentencePiece model files without `sentencepiece`."""

import math
import typing

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory
from google.protobuf.message import DecodeError

from keras_bert.messages import brief
from keras_bert.text.normalization.replacements import check_charsmap

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, _UNUSED = range(1, 6)
_PACKAGE = "keras_bert.sentencepiece"
_FIELD = descriptor_pb2.FieldDescriptorProto
# Fields of sentencepiece_model.proto that are used, with their numbers.
_MESSAGES = {
    "Piece": {"piece": 1, "score": 2, "type": 3},
    "Trainer": {
        "model_type": 3,
        "vocab_size": 4,
        "treat_whitespace_as_suffix": 24,
        "byte_fallback": 35,
        "unk_id": 40,
        "bos_id": 41,
        "eos_id": 42,
        "pad_id": 43,
    },
    "Normalizer": {
        "precompiled_charsmap": 2,
        "add_dummy_prefix": 3,
        "remove_extra_whitespaces": 4,
    },
    "Model": {"pieces": 1, "trainer": 2, "normalizer": 3},
}
# The other fields are integers; a bool is encoded like an integer.
_TYPES = {
    "piece": _FIELD.TYPE_STRING,
    "score": _FIELD.TYPE_FLOAT,
    "precompiled_charsmap": _FIELD.TYPE_BYTES,
}
_SUBMESSAGES = {
    "pieces": "Piece",
    "trainer": "Trainer",
    "normalizer": "Normalizer",
}
_DEFAULTS = {"type": "1", "model_type": "1"}
# The only values that the op supports.
_SUPPORTED = {
    "model_type": (1, "be a unigram model (model_type 1)"),
    "byte_fallback": (0, "not split unknown characters into bytes"),
    "treat_whitespace_as_suffix": (0, "mark the beginning of words"),
}


def _message_class():
    file = descriptor_pb2.FileDescriptorProto(name=_PACKAGE, package=_PACKAGE)
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number in fields.items():
            of = message.field.add(name=field, number=number)
            of.label = of.LABEL_OPTIONAL
            of.type = _TYPES.get(field, of.TYPE_INT32)
            if field in _DEFAULTS:
                of.default_value = _DEFAULTS[field]
            if field in _SUBMESSAGES:
                of.type, of.type_name = of.TYPE_MESSAGE, _SUBMESSAGES[field]
            if field == "pieces":
                of.label = of.LABEL_REPEATED
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName(f"{_PACKAGE}.Model")
    return message_factory.GetMessageClass(descriptor)


_Model = _message_class()


class Piece(typing.NamedTuple):
    """Piece of a SentencePiece model.

    Args:
        text: the piece.
        score: its log-probability.
        type: `NORMAL`, `UNKNOWN`, `CONTROL` or `USER_DEFINED`. Pieces of other
            types are never produced.
    """

    text: str
    score: float
    type: int


class SentencePieceModel:
    """Unigram model of SentencePiece.

    Args:
        data: bytes of the file.
        source: str, file name to show in error messages.

    Attributes:
        pieces: list of `Piece`, in the order of their ids.
        charsmap: bytes, the compiled table of character replacements; may be
            empty.

    Raises:
        ValueError: the bytes are not a complete model, or the op of the graph
            does not support the model.
    """

    def __init__(self, data, source="model"):
        self.data = data
        try:
            self._message = _Model.FromString(data)
            self.pieces = [
                Piece(x.piece, x.score, x.type) for x in self._message.pieces
            ]
            for piece in self.pieces:
                _check_piece(piece)
            self.charsmap = self._message.normalizer.precompiled_charsmap
            check_charsmap(self.charsmap)
            # BigBird's published model has no normalizer.
            if not (self.pieces and self._message.HasField("trainer")):
                raise ValueError("no pieces or no trainer")
            unknown = self._message.trainer.unk_id
            if not 0 <= unknown < len(self.pieces):
                raise ValueError(f"no piece has the `unk_id` {unknown}")
        except (DecodeError, ValueError) as error:
            raise ValueError(
                f"{source} is not a complete SentencePiece model: {error}."
            ) from None
        for key, (value, expected) in _SUPPORTED.items():
            actual = getattr(self._message.trainer, key)
            if actual != value:
                raise ValueError(
                    f"{source} must {expected}; the TensorFlow op supports no "
                    f"other models. Received: {key}={actual}."
                )

    def __reduce__(self):
        # The class of the message, created at import, cannot be pickled.
        return type(self), (self.data,)

    def graph_bytes(self, pieces, charsmap):
        """Serialize the model for the graph op, which collapses white space.

        Args:
            pieces: list of `Piece`, the vocabulary of the op.
            charsmap: bytes, the table of character replacements.
        """
        model = _Model()
        model.trainer.CopyFrom(self._message.trainer)
        model.normalizer.CopyFrom(self._message.normalizer)
        return _serialized(
            model,
            pieces,
            precompiled_charsmap=charsmap,
            add_dummy_prefix=1,
            remove_extra_whitespaces=1,
        )


def _check_piece(piece):
    """Raise ValueError for a piece that no op supports."""
    if (
        not isinstance(piece.text, str)  # It is bytes if it is not UTF-8.
        or not piece.text
        or "\0" in piece.text
        or not math.isfinite(piece.score)
        or piece.type == _UNUSED
    ):
        raise ValueError(
            "a piece must be a text with a finite score, and not be unused. "
            f"Received: {brief(piece)}"
        )


def model_bytes(pieces, charsmap=b"", **trainer):
    """Serialize a model to the bytes of its file.

    Args:
        pieces: list of `Piece`.
        charsmap: bytes, the table of character replacements.
        **trainer: trainer fields, such as `unk_id`.
    """
    model = _Model(trainer=trainer)
    return _serialized(model, pieces, precompiled_charsmap=charsmap)


def _serialized(model, pieces, **normalizer):
    for text, score, piece_type in pieces:
        model.pieces.add(piece=text, score=score, type=piece_type)
    for key, value in normalizer.items():
        setattr(model.normalizer, key, value)
    return model.SerializeToString(deterministic=True)
