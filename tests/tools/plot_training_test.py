import re

import pytest

_POINTS = "".join(
    f'{{"step": {step}, "split": "{split}", "mlm_loss": {9 - step}}}\n'
    for step in (1, 2)
    for split in ("train", "eval")
)
_CUT = '{"step": 3, "sp'  # A kill truncated it.


@pytest.fixture
def plot(run, tmp_path):
    """Return a function that plots metrics; returns exit code and stderr."""

    def plot(metrics, output_file):
        (tmp_path / "run").mkdir()
        (tmp_path / "run/metrics.jsonl").write_text(metrics)
        flags = ("--run_dir=run", f"--output_file={output_file}")
        code, _, stderr = run("plot_training", *flags, folder=tmp_path)
        return code, stderr

    return plot


@pytest.mark.smoke("png")
@pytest.mark.parametrize(
    ("form", "start"),
    [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")],
)
def test_the_ending_is_the_format(plot, tmp_path, form, start):
    code, stderr = plot(_POINTS + _CUT, f"new/folder/a.{form}")
    assert code == 0, stderr
    assert (tmp_path / f"new/folder/a.{form}").read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (f"{_POINTS}nonsense\n", ", line 5, must be a JSON.*: 'nonsense'."),
        (_POINTS + '{"step": 1}\n', ', line 5, must be a JSON.*{"step": 1}'),
        (_CUT, " must contain metrics"),
    ],
)
def test_bad_metrics_give_no_picture(plot, tmp_path, metrics, message):
    code, stderr = plot(metrics, "out/a.png")
    assert code == 1
    start, rest = stderr.split("metrics.jsonl")
    assert start == "Error: run/"
    assert re.match(message, rest)
    assert not (tmp_path / "out").exists()
