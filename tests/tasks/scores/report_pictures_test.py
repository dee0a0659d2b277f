import sys

import pytest

from keras_bert.tasks.scores.report_pictures import draw_report

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
