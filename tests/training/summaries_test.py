import pathlib

import tensorflow as tf

from keras_bert.training.summaries import ScalarWriter


def read_events(directory):
    """The events of all files, in the order in which TensorBoard reads them."""
    for path in sorted(pathlib.Path(directory).glob("events.out.tfevents.*")):
        for record in tf.data.TFRecordDataset(str(path)):
            yield tf.compat.v1.Event.FromString(record.numpy())


def read_scalars(directory):
    """All `(step, name, value)` that are shown."""
    scalars = []
    for event in read_events(directory):
        if event.session_log.status == tf.compat.v1.SessionLog.START:
            scalars = [x for x in scalars if x[0] < event.step]
        for value in event.summary.value:
            assert value.metadata.plugin_data.plugin_name == "scalars"
            number = tf.make_ndarray(value.tensor)
            assert (number.dtype, number.shape) == ("float32", ())
            scalars.append((event.step, value.tag, number.item()))
    return scalars


def test_scalars_are_read_back(tmp_path):
    writer = ScalarWriter(tmp_path, 0)
    writer.write(0, {"train/loss": 2.5, "train/mlm_accuracy": 0.25})
    writer.write(25, {"train/loss": 1})
    assert read_scalars(tmp_path) == [
        (0, "train/loss", 2.5),
        (0, "train/mlm_accuracy", 0.25),
        (25, "train/loss", 1.0),
    ]


def test_a_file_begins_as_tensorboard_wants_it(tmp_path):
    ScalarWriter(tmp_path, 3)
    first, second = read_events(tmp_path)
    assert first.file_version == "brain.Event:2"
    assert second.step == 3
    assert first.wall_time > 1.7e9


def test_what_comes_again_is_shown_once(tmp_path):
    writer = ScalarWriter(tmp_path, 0)
    for step in (10, 20, 30):
        writer.write(step, {"loss": 0.5})
    ScalarWriter(tmp_path, 21).write(30, {"loss": 0.25})
    assert read_scalars(tmp_path) == [
        (10, "loss", 0.5),
        (20, "loss", 0.5),
        (30, "loss", 0.25),
    ]
