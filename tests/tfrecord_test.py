import io

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.files.tfrecord import framed_records
from keras_bert.files.tfrecord import write_records


@pytest.mark.parametrize("num_records", [0, 1, 50])
def test_bytes_are_those_of_tensorflow(tmp_path, num_records):
    rng = np.random.default_rng(num_records)
    lengths = [0, 1, 255, 256, 70_000, *rng.integers(0, 2000, 50)]
    records = [rng.bytes(length) for length in lengths[:num_records]]
    path = str(tmp_path / "expected")
    with tf.io.TFRecordWriter(path) as writer:
        for record in records:
            writer.write(record)
    file = io.BytesIO()
    write_records(file, records[:7])
    write_records(file, records[7:])
    with open(path, "rb") as expected:
        assert file.getvalue() == expected.read()
    places, found = zip(*framed_records(path)) if records else ((), ())
    assert [*found] == records
    assert [*places] == [
        sum(16 + len(record) for record in records[:number])
        for number in range(num_records)
    ]
