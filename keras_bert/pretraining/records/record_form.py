"""The form of records: names, types and lengths; and their parsing."""

import dataclasses

import tensorflow as tf

from keras_bert import features

_LISTS = {"int64": "int64_list", "float32": "float_list"}


@dataclasses.dataclass(frozen=True)
class RecordForm:
    """Names, types and lengths that each record of a file must have.

    Args:
        form: str, "static" or "dynamic".
        lengths: dict of int, the values of the names of lengths in the
            schema. "num_tokens" is up to each record; if "max_seq_length" is
            given, it is the most.
        source: str, the origin of the lengths, for the text of a fault.
        advice: str, what to do about another length.
    """

    form: str
    lengths: dict
    source: str = "of this file"
    advice: str = ""

    @property
    def schema(self):
        """Tuple of `features.Feature`."""
        return features.FORMS[self.form]

    @classmethod
    def of_first(cls, record):
        """Return the form that the first record of a file sets for all."""
        held = held_features(record) or tf.train.Features().feature
        form = cls(features.form_of(held) or "static", {})
        for feature in form.schema:
            length = len(values_of(held, feature))
            form.lengths.setdefault(feature.length, max(length, 1))
        return form

    def fault(self, record):
        """Return the fault of a record as text, or None."""
        held = held_features(record)
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
            most = lengths.get(features.MAX_SEQ_LENGTH, max(length, 1))
            expected = length if 0 < length <= most else f"1 to {most}"
            lengths[features.NUM_TOKENS], source = length, ""
        if length == expected:
            return None
        return (
            f"`{feature.name}` must have {expected} value(s){source}. "
            f"Received: {length}.{self.advice}"
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
    specs = {}
    for feature in schema:
        if feature.length == features.NUM_TOKENS:
            spec = tf.io.RaggedFeature(feature.dtype, row_splits_dtype=tf.int64)
        else:
            num_values = feature.num_values(lengths)
            spec = tf.io.FixedLenFeature([num_values], feature.dtype)
        specs[feature.name] = spec
    return tf.io.parse_example(serialized, specs)
