import os

import pytest

from keras_bert.artifacts import manifest_of

_SUBJECTS = ("apple", "pear", "plum", "fig", "quince", "cherry", "grape")


@pytest.fixture
def packages(tmp_path):
    root = tmp_path / "packages"
    root.mkdir()
    for subject in _SUBJECTS:
        prose = "\n\n".join(
            f"The {subject} is {what} of all that there is in the garden, and "
            f"nobody has ever known where the {subject} came from."
            for what in ("the first", "the second", "the last", "the best")
        )
        (root / f"{subject}.py").write_text(f'"""{prose}"""\n')
    return root


@pytest.fixture
def collect(run):
    """Return a function that runs the program; returns exit code and stderr."""

    def collect(*arguments):
        code, _, stderr = run("collect_corpus", "--verbosity=0", *arguments)
        return code, stderr

    return collect


def test_corpus_is_split_in_two(collect, packages, tmp_path):
    output_dir = tmp_path / "new" / "corpus"
    code, stderr = collect(
        f"--output_dir={output_dir}", f"--roots={packages}", "--eval_share=0.4"
    )
    assert code == 0, stderr
    assert sorted(os.listdir(output_dir)) == [
        "eval.txt",
        "manifest-eval.txt.json",
        "manifest-train.txt.json",
        "train.txt",
    ]
    train = (output_dir / "train.txt").read_text(encoding="utf-8")
    held_out = (output_dir / "eval.txt").read_text(encoding="utf-8")
    assert train.endswith("came from.\n\n")
    assert held_out.endswith("came from.\n\n")
    documents = (train + held_out).strip().split("\n\n")
    assert len(set(documents)) == len(_SUBJECTS)
    assert all(len(document.splitlines()) == 4 for document in documents)
    assert "7 documents" in stderr
    assert "28 sentences" in stderr


def test_nothing_found_is_an_error_and_leaves_nothing(collect, tmp_path):
    (tmp_path / "empty").mkdir()
    code, stderr = collect(
        f"--output_dir={tmp_path / 'out'}", f"--roots={tmp_path / 'empty'}"
    )
    assert code != 0
    assert "Received: 0 for training and 0 for evaluation" in stderr
    assert os.listdir(tmp_path / "out") == []


def test_what_is_dropped_is_told(collect, packages, tmp_path):
    (packages / "broken.py").write_text('"""\xff' + "no end " * 99)
    twin = (packages / "apple.py").read_text()
    (packages / "zebra.py").write_text(twin)
    output_dir = tmp_path / "out"
    code, stderr = collect(
        f"--output_dir={output_dir}", f"--roots={packages}", "--eval_share=0.4"
    )
    assert code == 0, stderr
    assert "1 skipped" in stderr
    assert "4 duplicate sentences" in stderr
    _, values = manifest_of(output_dir / "train.txt")
    assert values["dropped"] == {"files": 1, "sentences": 4}
