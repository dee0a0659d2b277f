import json

import pytest

pytestmark = pytest.mark.large

_BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture
def run_dir(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    lines = [
        json.dumps({"step": step, "split": split, "mlm_loss": 9.0 - step})
        for step in (1, 2)
        for split in ("train", "eval")
    ]
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def plot(run, tmp_path):
    """Return a function that runs the program; returns exit code and stderr."""

    def plot(run_dir="run", output_file="out/a.png", run=run):
        code, stdout, stderr = run(
            "plot_training",
            f"--run_dir={run_dir}",
            f"--output_file={output_file}",
            folder=tmp_path,
        )
        assert "Traceback" not in stderr
        assert not stdout
        return code, stderr

    return plot


@pytest.mark.smoke("png")
@pytest.mark.parametrize("form", _BEGINNINGS)
def test_the_ending_is_the_format(plot, tmp_path, run_dir, form):
    with open(run_dir / "metrics.jsonl", "a") as file:
        file.write('{"step": 3, "sp')  # A kill truncated it.
    code, stderr = plot(output_file=f"new/folder/a.{form}")
    assert code == 0, stderr
    data = (tmp_path / "new" / "folder" / f"a.{form}").read_bytes()
    assert data.startswith(_BEGINNINGS[form])


@pytest.mark.parametrize("line", ["nonsense", '{"step": 1}'])
def test_a_bad_line_is_named(plot, tmp_path, run_dir, line):
    path = run_dir / "metrics.jsonl"
    path.write_text(path.read_text() + line + "\n" + path.read_text())
    code, stderr = plot()
    assert code == 1
    assert stderr.startswith("Error: run/metrics.jsonl, line 5, must be a JSON")
    assert stderr.endswith(f"Received: {line!r}.\n")
    assert not (tmp_path / "out").exists()


def test_no_points_give_no_picture(plot, tmp_path, run_dir):
    (run_dir / "metrics.jsonl").write_text('{"step": 3, "sp')
    code, stderr = plot()
    assert code == 1
    assert "run/metrics.jsonl must contain metrics" in stderr
    assert not (tmp_path / "out").exists()
