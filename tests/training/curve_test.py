import json
import os

import pytest

from keras_bert.training.curve import Curve


def read_lines(directory):
    text = (directory / "metrics.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_points_are_lines_in_order(tmp_path):
    curve = Curve(tmp_path, -1)
    curve.add(0, "eval", {"mlm_loss": 3.5})
    curve.add(25, "train", {"loss": 2.0, "mlm_loss": 1.5})
    assert read_lines(tmp_path) == [
        {"step": 0, "split": "eval", "mlm_loss": 3.5},
        {"step": 25, "split": "train", "loss": 2.0, "mlm_loss": 1.5},
    ]
    assert len([*tmp_path.glob("events.out.tfevents.*")]) == 1


def test_points_after_the_step_to_go_on_from_are_dropped(tmp_path):
    curve = Curve(tmp_path, -1)
    for step in (10, 20, 30):
        curve.add(step, "train", {"loss": 0.5})
    curve = Curve(tmp_path, 20)
    curve.add(25, "train", {"loss": 0.25})
    assert [line["step"] for line in read_lines(tmp_path)] == [10, 20, 25]
    Curve(tmp_path, -1)
    assert read_lines(tmp_path) == []


def test_a_line_cut_off_by_a_kill_is_dropped(tmp_path):
    whole = '{"step": 1, "split": "train"}'
    (tmp_path / "metrics.jsonl").write_text(f'{whole}\n{{"step": 2, "spl')
    curve = Curve(tmp_path, 5)
    curve.add(6, "train", {})
    assert [line["step"] for line in read_lines(tmp_path)] == [1, 6]
    # Even where only the line's end is missing.
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
