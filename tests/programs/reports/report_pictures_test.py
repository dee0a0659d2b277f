import pathlib
import sys

import numpy as np
import pytest

from keras_bert.programs.reports.report_pictures import draw_report

_ROW = {"label": "x", "precision": 1.0, "recall": 0.5, "f1": 0.6, "support": 3}
_BINS = {"bins": [{"confidence": 0.9, "accuracy": 0.5, "count": 4}]}


@pytest.mark.parametrize(
    ("report", "names"),
    [
        ({"scores": {"f1": 0.5}}, []),
        ({"labels": [_ROW]}, ["labels-dev.png"]),
        (
            {
                "labels": [_ROW],
                "confusion_matrix": [[3]],
                "calibration": _BINS,
            },
            ["calibration-dev.png", "confusion-dev.png"],
        ),
    ],
)
def test_what_a_report_holds_is_drawn(tmp_path, report, names):
    pytest.importorskip("matplotlib")
    draw_report(report, "dev", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_without_matplotlib_it_is_said(tmp_path, monkeypatch, caplog):
    for name in [*sys.modules]:
        if name.partition(".")[0] == "matplotlib":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    draw_report({"calibration": _BINS}, "dev", tmp_path)
    assert [*tmp_path.iterdir()] == []
    assert "pip install matplotlib" in caplog.text


pytest.importorskip("matplotlib")

from keras_bert.programs.reports.report_pictures import draw_calibration  # noqa: E402
from keras_bert.programs.reports.report_pictures import draw_confusion  # noqa: E402


def _image(path):
    import matplotlib.image

    assert pathlib.Path(path).read_bytes().startswith(b"\x89PNG")
    return matplotlib.image.imread(path)


@pytest.mark.parametrize("num_labels", [2, 40])
def test_a_table_with_more_right_answers_is_another_picture(
    tmp_path, num_labels
):
    names = [f"label {n}" for n in range(num_labels)]
    one, two = tmp_path / "1.png", tmp_path / "2.png"
    draw_confusion(np.eye(num_labels, dtype=int), names, one)
    draw_confusion(np.zeros((num_labels, num_labels), int), names, two)
    assert not np.array_equal(_image(one), _image(two))


def test_bins_are_drawn(tmp_path):
    path, empty = tmp_path / "a.png", tmp_path / "b.png"
    draw_calibration([{"confidence": 0.9, "accuracy": 0.5, "count": 4}], path)
    draw_calibration([], empty)
    assert not np.array_equal(_image(path), _image(empty))
