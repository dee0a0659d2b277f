"""The form of records: names, types and lengths; and their parsing."""

import tensorflow as tf

from keras_bert import features

_LISTS = {"int64": "int64_list", "float32": "float_list"}


class RecordForm:
    """Names, types and lengths that each record of a file must have.

    Args:
        form: str, "static" or "dynamic".
        lengths: dict of int, what the names of lengths in the schema mean.
            "num_tokens" is up to each record; if "max_seq_length" is given,
            it is the most.
        source: str, the origin of the lengths, for the text of a fault.
        advice: str, what to do about another length.

    Attributes:
        schema: tuple of `features.Feature`.
        lengths: as the argument.
    """

    def __init__(self, form, lengths, source="of this file", advice=""):
        self.schema = features.FORMS[form]
        self.lengths = lengths
        self._source = source
        self._advice = advice

    @classmethod
    def of_first(cls, record):
        """The form that the first record of a file sets for all."""
        held = held_features(record) or {}
        form = cls(features.form_of(held) or "static", {})
        for feature in form.schema:
            if feature.name in held:
                length = len(values_of(held, feature))
                form.lengths.setdefault(feature.length, max(length, 1))
        return form

    def fault(self, record):
        """The fault of a record as text; None if there is none."""
        held = held_features(record)
        if held is None:
            return f"it must be a tf.train.Example. Received: {record[:20]}."
        num_tokens = None
        for feature in self.schema:
            if feature.name not in held:
                return (
                    f"it must have the feature `{feature.name}` "
                    f"({feature.meaning}). Received: "
                    f"{', '.join(sorted(held)) or 'none'}."
                )
            kind = held[feature.name].WhichOneof("kind")
            if kind != _LISTS[feature.dtype]:
                return (
                    f"`{feature.name}` must be {feature.dtype} "
                    f"({_LISTS[feature.dtype]}). Received: {kind}."
                )
            length = len(values_of(held, feature))
            if feature.length == features.NUM_TOKENS:
                text = self._own_length_fault(feature, length, num_tokens)
                num_tokens = length
            else:
                text = self._length_fault(feature, length)
            if text:
                return text
        return None

    def _length_fault(self, feature, length):
        expected = feature.num_values(self.lengths)
        if length == expected:
            return None
        text = f"`{feature.name}` must have {expected} value(s)"
        if feature.length == features.ONE:
            return f"{text}. Received: {length}."
        return (
            f"{text}, the {feature.length} {self._source}. "
            f"Received: {length}.{self._advice}"
        )

    def _own_length_fault(self, feature, length, num_tokens):
        limit = self.lengths.get(features.MAX_SEQ_LENGTH)
        if limit is not None and not 0 < length <= limit:
            return (
                f"`{feature.name}` must have 1 to {limit} value(s). "
                f"Received: {length}.{self._advice}"
            )
        expected = max(length, 1) if num_tokens is None else num_tokens
        if length == expected:
            return None
        return (
            f"`{feature.name}` must have {expected} value(s), the "
            f"{feature.length} of this record. Received: {length}."
        )


def held_features(record):
    """The features of a record by name; None if it is no `tf.train.Example`."""
    try:
        return tf.train.Example.FromString(record).features.feature
    except Exception:  # The class depends on protobuf's implementation.
        return None


def values_of(held, feature):
    """The values of a held feature; none if they are of another type."""
    return getattr(held[feature.name], _LISTS[feature.dtype]).value


def parse_examples(serialized, schema, lengths):
    """Parses a batch, eagerly or in a tf.data graph.

    Args:
        serialized: string `(batch_size,)`, a `tf.train.Example` each.
        schema: tuple of `features.Feature`.
        lengths: dict of int, what the names of lengths in the schema mean.

    Returns:
        A dict by name: tensors `(batch_size, length)`; of what has another
        length in each record, `tf.RaggedTensor`s of int64 row splits.
    """
    return tf.io.parse_example(
        serialized,
        {feature.name: _spec(feature, lengths) for feature in schema},
    )


def _spec(feature, lengths):
    num_values = feature.num_values(lengths)
    if num_values is None:
        return tf.io.RaggedFeature(feature.dtype, row_splits_dtype=tf.int64)
    return tf.io.FixedLenFeature([num_values], feature.dtype)
