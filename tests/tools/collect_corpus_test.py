import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from keras_bert.artifacts import manifest_of

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


@pytest.fixture
def own_text(tmp_path):
    path = tmp_path / "own.jsonl"
    lines = [
        json.dumps({"body": f"Mr. {subject.title()} came in.\nHe sat down."})
        for subject in _SUBJECTS
    ]
    path.write_text("\n".join([*lines, "[1]"]))
    return path


def test_json_lines_are_text_and_bad_ones_are_counted(own_text, tmp_path):
    arguments = [
        f"--output_dir={tmp_path}/out",
        f"--input_file={own_text}",
        "--eval_share=0.4",
        "--text_key=body",
    ]
    result = _run(*arguments)
    assert result.returncode == 1
    assert f"{own_text}, line 8, must be a JSON object" in result.stderr
    assert os.listdir(tmp_path / "out") == []
    result = _run(*arguments, "--on_bad_line=skip")
    assert result.returncode == 0, result.stderr
    assert "1 bad line(s) skipped" in result.stderr
    _, values = manifest_of(tmp_path / "out" / "train.txt")
    assert values["dropped"] == {"bad_lines": 1}
    assert values["counts"]["sentences"] == 2 * len(_SUBJECTS)
    assert [*values["settings"]["inputs"]] == [str(own_text)]


def test_only_an_own_corpus_is_replaced(packages, tmp_path):
    arguments = [f"--roots={packages}", "--eval_share=0.4"]
    arguments.append(f"--output_dir={tmp_path}")
    assert _run(*arguments).returncode == 0
    assert "pass --overwrite" in _run(*arguments).stderr
    assert _run(*arguments, "--overwrite").returncode == 0
    (tmp_path / "eval.txt").write_text("precious")
    result = _run(*arguments, "--overwrite")
    assert result.returncode == 1
    assert "eval.txt exists, and no manifest" in result.stderr
    assert (tmp_path / "eval.txt").read_text() == "precious"


def test_what_is_dropped_is_told(packages, tmp_path):
    (packages / "broken.py").write_text('"""\xff' + "no end " * 99)
    twin = (packages / "apple.py").read_text()
    (packages / "zebra.py").write_text(twin)
    output_dir = tmp_path / "out"
    result = _run(
        f"--output_dir={output_dir}", f"--roots={packages}", "--eval_share=0.4"
    )
    assert result.returncode == 0, result.stderr
    assert "1 skipped" in result.stderr
    assert "4 sentences in copies" in result.stderr
    _, values = manifest_of(output_dir / "train.txt")
    assert values["dropped"] == {"files": 1, "sentences": 4}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--roots=.", "--input_file=a"], "Either --input_file or --roots"),
        (["--text_key=a"], "--text_key is for --input_file"),
        (["--on_bad_line=skip"], "--on_bad_line is for --input_file"),
        (["--tfds_split=test"], "--tfds_split is for --tfds_name"),
        (["--input_file={place}/train.txt"], "must not be an input"),
    ],
)
def test_flags_without_effect_are_errors(tmp_path, arguments, message):
    (tmp_path / "train.txt").write_text("A dog.")
    result = _run(
        f"--output_dir={tmp_path}",
        *(argument.format(place=tmp_path) for argument in arguments),
    )
    assert result.returncode == 1
    assert message in result.stderr
    assert os.listdir(tmp_path) == ["train.txt"]
