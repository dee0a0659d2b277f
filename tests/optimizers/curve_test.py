import json
import os
import pathlib

import pytest
import tensorflow as tf

from keras_bert.optimizers.curve import Curve
from keras_bert.optimizers.curve import ScalarWriter


def read_lines(directory):
    text = (directory / "metrics.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_points_after_the_step_to_go_on_from_are_dropped(tmp_path):
    curve = Curve(tmp_path, -1)
    curve.add(0, "eval", {"mlm_loss": 3.5})
    curve.add(25, "train", {"loss": 2.0, "mlm_loss": 1.5})
    lines = [
        {"step": 0, "split": "eval", "mlm_loss": 3.5},
        {"step": 25, "split": "train", "loss": 2.0, "mlm_loss": 1.5},
    ]
    assert read_lines(tmp_path) == lines
    assert len([*tmp_path.glob("events.out.tfevents.*")]) == 1
    curve.add(30, "train", {"loss": 0.5})
    Curve(tmp_path, 25)
    assert read_lines(tmp_path) == lines
    Curve(tmp_path, -1)
    assert read_lines(tmp_path) == []


def test_a_line_cut_off_by_a_kill_is_dropped(tmp_path):
    whole = '{"step": 1, "split": "train"}'
    (tmp_path / "metrics.jsonl").write_text(f'{whole}\n{{"step": 2, "spl')
    curve = Curve(tmp_path, 5)
    curve.add(6, "train", {})
    assert [line["step"] for line in read_lines(tmp_path)] == [1, 6]
    # Also if only the line end is missing.
    (tmp_path / "metrics.jsonl").write_text(whole)
    curve = Curve(tmp_path, 5)
    curve.add(6, "train", {})
    assert [line["step"] for line in read_lines(tmp_path)] == [1, 6]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
def test_a_full_disk_names_the_file(tmp_path):
    curve = Curve(tmp_path, -1)
    (tmp_path / "metrics.jsonl").unlink()
    (tmp_path / "metrics.jsonl").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space .*metrics.jsonl'"):
        curve.add(1, "train", {"loss": 0.5})


def read_events(directory):
    """Return the events of all files in TensorBoard's order."""
    for path in sorted(pathlib.Path(directory).glob("events.out.tfevents.*")):
        for record in tf.data.TFRecordDataset(str(path)):
            yield tf.compat.v1.Event.FromString(record.numpy())


def read_scalars(directory):
    """Return all shown `(step, name, value)`."""
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
