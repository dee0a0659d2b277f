"""The file of a SentencePiece model, read and written without SentencePiece."""

import typing

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory
from google.protobuf.message import DecodeError

from keras_bert.text.normalization.replacements import check_charsmap

NORMAL, UNKNOWN, CONTROL, USER_DEFINED = range(1, 5)
_PACKAGE = "keras_bert.sentencepiece"
_FIELD = descriptor_pb2.FieldDescriptorProto
# The fields of sentencepiece_model.proto that are used, with their numbers.
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
# The other fields are integers; a bool is written like one.
_TYPES = {
    "piece": _FIELD.TYPE_STRING,
    "score": _FIELD.TYPE_FLOAT,
    "precompiled_charsmap": _FIELD.TYPE_BYTES,
}
_PARTS = {"pieces": "Piece", "trainer": "Trainer", "normalizer": "Normalizer"}
_DEFAULTS = {"type": "1", "model_type": "1"}
# The only values that the op of the graph supports.
_SUPPORTED = {
    "model_type": (1, "be a unigram model (model_type 1), as ALBERT's is"),
    "byte_fallback": (0, "have no bytes for unknown characters"),
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
            if field in _PARTS:
                of.type, of.type_name = of.TYPE_MESSAGE, _PARTS[field]
            if field == "pieces":
                of.label = of.LABEL_REPEATED
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName(f"{_PACKAGE}.Model")
    return message_factory.GetMessageClass(descriptor)


_Model = _message_class()


class Piece(typing.NamedTuple):
    """A piece of a model.

    Args:
        text: str.
        score: float, the logarithm of its probability.
        kind: int, `NORMAL`, `UNKNOWN`, `CONTROL` or `USER_DEFINED`. Texts are
            not cut into pieces of other kinds.
    """

    text: str
    score: float
    kind: int


class SentencePieceModel:
    """A unigram model.

    Args:
        data: bytes of the file.
        source: str, name of the file, for error messages.

    Attributes:
        pieces: list of `Piece`, in the order of their ids.
        charsmap: bytes, the replacements of characters, as SentencePiece
            compiles them; may be empty.

    Raises:
        ValueError: the bytes are not a whole model, or the graph cannot run
            the model.
    """

    def __init__(self, data, source="model"):
        self.data = data
        try:
            self._message = _Model.FromString(data)
            self.pieces = [
                Piece(x.piece, x.score, x.type) for x in self._message.pieces
            ]
            self.charsmap = self._message.normalizer.precompiled_charsmap
            check_charsmap(self.charsmap)
            if not (self.pieces and self._message.HasField("normalizer")):
                raise ValueError("no pieces or no normalizer")
        except (DecodeError, ValueError) as error:
            raise ValueError(
                f"{source} must be a SentencePiece model, and whole. "
                f"Received: {error}."
            ) from None
        for key, (value, expected) in _SUPPORTED.items():
            found = getattr(self._message.trainer, key)
            if found != value:
                raise ValueError(
                    f"{source} must {expected}; the op of the graph supports "
                    f"no other model. Received: {key}={found}."
                )

    def graph_bytes(self, pieces, charsmap):
        """Return the model for the graph; it squeezes white space.

        Args:
            pieces: list of `Piece`, to cut texts into.
            charsmap: bytes, the replacements of characters.
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


def model_bytes(pieces, charsmap=b"", **trainer):
    """Return the file of a model.

    Args:
        pieces: list of `Piece`.
        charsmap: bytes, the replacements of characters.
        **trainer: fields of the trainer, such as `unk_id`.
    """
    model = _Model(trainer=trainer)
    return _serialized(model, pieces, precompiled_charsmap=charsmap)


def _serialized(model, pieces, **normalizer):
    for text, score, kind in pieces:
        model.pieces.add(piece=text, score=score, type=kind)
    for key, value in normalizer.items():
        setattr(model.normalizer, key, value)
    return model.SerializeToString(deterministic=True)
