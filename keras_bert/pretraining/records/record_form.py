"""Record forms (feature names, types and lengths) and record parsing."""

import dataclasses

import tensorflow as tf

from keras_bert import features

_LISTS = {"int64": "int64_list", "float32": "float_list"}


@dataclasses.dataclass(frozen=True)
class RecordForm:
    """Names, types and lengths that each record of a file must have.

    Args:
        form: str, "static" or "dynamic".
        lengths: dict mapping the length names of the schema to int.
            "num_tokens" differs between records and is at most
            "max_seq_length", if given.
        source: str, origin of the lengths to show in error messages.
        advice: str, advice for error messages about a wrong length.
    """

    form: str
    lengths: dict
    source: str = "of this file"
    advice: str = ""

    @property
    def schema(self):
        """Return the features as a tuple of `features.Feature`."""
        return features.FORMS[self.form]

    @classmethod
    def of_first(cls, record):
        """Return the form of the first record of a file."""
        held = record_features(record) or tf.train.Features().feature
        form = cls(features.form_of(held) or "static", {})
        for feature in form.schema:
            length = len(values_of(held, feature))
            form.lengths.setdefault(feature.length, max(length, 1))
        return form

    def fault(self, record):
        """Return an error message for a record, or None if it is valid."""
        held = record_features(record)
        if held is None:
            return f"it must be a tf.train.Example. Received: {record[:20]}."
        lengths = dict(self.lengths)
        lengths.pop(features.NUM_TOKENS, None)
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
            text = self._length_fault(
                feature, len(values_of(held, feature)), lengths
            )
            if text:
                return text
        return None

    def _length_fault(self, feature, length, lengths):
        source = f", the {feature.length} {self.source}"
        if feature.length == features.ONE:
            expected, source = 1, ""
        elif feature.length != features.NUM_TOKENS:
            expected = lengths[feature.length]
        elif features.NUM_TOKENS in lengths:
            expected = lengths[feature.length]
            source = f", the {feature.length} of this record"
        else:
            maximum = lengths.get(features.MAX_SEQ_LENGTH, max(length, 1))
            expected = length if 0 < length <= maximum else f"1 to {maximum}"
            lengths[features.NUM_TOKENS], source = length, ""
        if length == expected:
            return None
        return (
            f"`{feature.name}` must have {expected} value(s){source}. "
            f"Received: {length}.{self.advice}"
        )


def record_features(record):
    """Return the features of a record, or None if parsing fails."""
    try:
        return tf.train.Example.FromString(record).features.feature
    except Exception:  # The class depends on protobuf's implementation.
        return None


def values_of(held, feature):
    """Return the values of a feature, none if its type differs."""
    return getattr(held[feature.name], _LISTS[feature.dtype]).value


def parse_examples(serialized, schema, lengths):
    """Parse a batch of records, eagerly or in a tf.data graph.

    Args:
        serialized: string `(batch_size,)`, serialized `tf.train.Example`s.
        schema: tuple of `features.Feature`.
        lengths: dict mapping the length names of the schema to int.

    Returns:
        A dict mapping feature names to tensors `(batch_size, length)`. Features
        of the length "num_tokens" are `tf.RaggedTensor`s with int64 row splits.
    """
    specs = {}
    for feature in schema:
        if feature.length == features.NUM_TOKENS:
            spec = tf.io.RaggedFeature(feature.dtype, row_splits_dtype=tf.int64)
        else:
            num_values = feature.num_values(lengths)
            spec = tf.io.FixedLenFeature([num_values], feature.dtype)
        specs[feature.name] = spec
    return tf.io.parse_example(serialized, specs)
