"""Changes to records."""

import pytest
import tensorflow as tf


@pytest.fixture(scope="session")
def change_record():
    """Return a function that changes features; None removes a feature."""

    def change_record(record, **changes):
        example = tf.train.Example.FromString(record)
        for name, values in changes.items():
            example.features.feature.pop(name, None)
            if values is not None:
                feature = example.features.feature[name]
                feature.int64_list.value.extend(values)
        return example.SerializeToString()

    return change_record
