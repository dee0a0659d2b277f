import glob

import pytest
import tensorflow as tf

from keras_bert.training.summaries import ScalarWriter


def read_scalars(directory):
    """All `(step, name, value)`, in the order in which they were written."""
    (path,) = glob.glob(f"{directory}/events.out.tfevents.*")
    scalars = []
    for record in tf.data.TFRecordDataset(path):
        event = tf.compat.v1.Event.FromString(record.numpy())
        for value in event.summary.value:
            assert value.metadata.plugin_data.plugin_name == "scalars"
            number = tf.make_ndarray(value.tensor)
            assert (number.dtype, number.shape) == ("float32", ())
            scalars.append((event.step, value.tag, number.item()))
    return scalars


def test_scalars_are_read_back(tmp_path):
    writer = ScalarWriter(tmp_path)
    writer.write(0, {"train/loss": 2.5, "train/mlm_accuracy": 0.25})
    writer.write(25, {"train/loss": 1})
    writer.close()
    assert read_scalars(tmp_path) == [
        (0, "train/loss", 2.5),
        (0, "train/mlm_accuracy", 0.25),
        (25, "train/loss", 1.0),
    ]


def test_scalars_are_there_before_the_writer_is_closed(tmp_path):
    writer = ScalarWriter(tmp_path)
    writer.write(7, {"eval/loss": 0.5})
    assert read_scalars(tmp_path) == [(7, "eval/loss", 0.5)]


def test_a_closed_writer_writes_no_more(tmp_path):
    writer = ScalarWriter(tmp_path)
    writer.close()
    with pytest.raises(RuntimeError, match="closed"):
        writer.write(0, {"loss": 1.0})
