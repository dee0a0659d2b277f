import os
import subprocess
import sys
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).parents[2]
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


def _run(*arguments):
    return subprocess.run(
        [sys.executable, "tools/collect_corpus.py", *arguments],
        cwd=_REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        capture_output=True,
        text=True,
    )


def test_corpus_is_split_in_two(packages, tmp_path):
    output_dir = tmp_path / "new" / "corpus"
    result = _run(
        f"--output_dir={output_dir}", f"--roots={packages}", "--eval_share=0.4"
    )
    assert result.returncode == 0, result.stderr
    assert sorted(os.listdir(output_dir)) == ["eval.txt", "train.txt"]
    train = (output_dir / "train.txt").read_text(encoding="utf-8")
    held_out = (output_dir / "eval.txt").read_text(encoding="utf-8")
    assert train.endswith("came from.\n\n")
    assert held_out.endswith("came from.\n\n")
    documents = (train + held_out).strip().split("\n\n")
    assert len(set(documents)) == len(_SUBJECTS)
    assert all(len(document.splitlines()) == 4 for document in documents)
    assert "7 documents" in result.stderr
    assert "28 sentences" in result.stderr


def test_own_text_is_split_into_sentences_and_documents(tmp_path):
    text = "\n\n".join(
        f"Mr. {subject.title()} came in. He sat down." for subject in _SUBJECTS
    )
    (tmp_path / "own.txt").write_text(text, encoding="utf-8")
    result = _run(
        f"--output_dir={tmp_path}",
        f"--input_file={tmp_path}/*.txt",
        "--eval_share=0.4",
    )
    assert result.returncode == 0, result.stderr
    written = [
        document.splitlines()
        for part in ("train", "eval")
        for document in (tmp_path / f"{part}.txt").read_text().split("\n\n")
        if document
    ]
    assert len(written) == len(_SUBJECTS)
    assert ["Mr. Apple came in.", "He sat down."] in written


def test_nothing_found_is_an_error_and_leaves_nothing(tmp_path):
    (tmp_path / "empty").mkdir()
    result = _run(
        f"--output_dir={tmp_path / 'out'}", f"--roots={tmp_path / 'empty'}"
    )
    assert result.returncode != 0
    assert "Received: 0 to train on and 0 to evaluate on" in result.stderr
    assert os.listdir(tmp_path / "out") == []


def test_unwritable_folder_is_an_error(packages, tmp_path):
    (tmp_path / "file").write_text("")
    result = _run(f"--output_dir={tmp_path / 'file'}", f"--roots={packages}")
    assert result.returncode == 1
    assert "file' cannot be written" in result.stderr
    assert "Traceback" not in result.stderr


def test_missing_root_is_an_error(tmp_path):
    result = _run(f"--output_dir={tmp_path}", f"--roots={tmp_path / 'no'}")
    assert result.returncode == 1
    assert f"{tmp_path / 'no'}" in result.stderr
