"""The Beam program: its flags, and how it fails."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_REPOSITORY = pathlib.Path(__file__).parents[2]
_needs_beam = pytest.mark.skipif(
    importlib.util.find_spec("apache_beam") is None,
    reason="apache_beam is not installed",
)


@pytest.fixture
def run(tmp_path):
    """Runs the program; its exit code and the lines it printed."""
    words = "the a dog cat bird sees likes finds".split()
    Vocabulary([*SPECIAL_TOKENS, *words]).save(tmp_path / "vocab.txt")
    text = "\n\n".join(f"the {word} sees\na dog" for word in words)
    (tmp_path / "text.txt").write_text(text)

    def run(*arguments, code="import sys"):
        program = str(_REPOSITORY / "tools" / "create_pretraining_data_beam.py")
        code += "; import runpy; sys.argv = sys.argv[1:]; "
        code += "runpy.run_path(sys.argv[0], run_name='__main__')"
        done = subprocess.run(
            [
                *(sys.executable, "-W", "ignore", "-c", code),
                program,
                f"--vocab_file={tmp_path}/vocab.txt",
                f"--output_dir={tmp_path}/out",
                *("--max_seq_length=16", "--max_predictions_per_seq=3"),
                *arguments,
            ],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(_REPOSITORY),
                "TF_CPP_MIN_LOG_LEVEL": "3",
            },
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stderr.splitlines()

    return run


def test_a_missing_beam_is_told_with_the_line_to_type(run):
    code, lines = run(
        "--input_file=text.txt",
        code="import sys; sys.modules['apache_beam'] = None",
    )
    assert code == 1
    assert lines == [
        "Error: The Beam pipeline needs the package apache_beam, which is not "
        "installed here. Try: pip install 'keras-bert-tf[beam]'"
    ]


@_needs_beam
def test_a_missing_file_is_one_line(run):
    code, lines = run("--input_file=no*.txt")
    assert code == 1
    assert len(lines) == 1
    assert lines[0].startswith("Error: Input files must exist. No file matches")


@_needs_beam
@pytest.mark.large
def test_a_bad_byte_is_told_without_a_traceback(run, tmp_path):
    (tmp_path / "latin1.txt").write_bytes(b"a caf\xe9\n\nthe dog\n")
    code, lines = run("--input_file=latin1.txt")
    assert code == 1
    assert "latin1.txt must be UTF-8 text. Received: byte 0xe9" in lines[-1]
    assert not any("Traceback" in line for line in lines)


@_needs_beam
@pytest.mark.large
def test_the_flags_reach_the_pipeline(run, tmp_path):
    code, lines = run(
        "--input_file=text.txt",
        "--num_shards=2",
        "--dupe_factor=3",
        "--random_seed=7",
        "--beam_options=--direct_num_workers=2,"
        "--direct_running_mode=multi_threading",
    )
    assert code == 0, lines
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["counts"]["documents"] == 8
    assert manifest["settings"]["num_shards"] == 2
    assert manifest["settings"]["examples"]["dupe_factor"] == 3
    assert manifest["settings"]["examples"]["random_seed"] == 7
    assert manifest["settings"]["examples"]["max_seq_length"] == 16
