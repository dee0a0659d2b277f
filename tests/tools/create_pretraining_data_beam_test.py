"""The Beam program: a missing package, and its flags."""

import importlib.util
import json
import pathlib

import pytest

from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

pytestmark = pytest.mark.large


@pytest.fixture
def make(run_alone, tmp_path):
    """Return a function that runs the program in a new process."""
    words = "the a dog cat bird sees likes finds".split()
    Vocabulary([*SPECIAL_TOKENS, *words]).save(tmp_path / "vocab.txt")
    text = "\n\n".join(f"the {word} sees\na dog" for word in words)
    (tmp_path / "text.txt").write_text(text)

    def make(*arguments, **environment):
        flags = "--input_file=text.txt --vocab_file=vocab.txt --output_dir=out"
        flags += " --max_seq_length=16 --max_predictions_per_seq=3"
        tool = "create_pretraining_data_beam"
        given = (*flags.split(), *arguments)
        code, _, stderr = run_alone(
            tool, *given, folder=tmp_path, **environment
        )
        return code, stderr

    return make


def test_a_missing_beam_is_told_with_the_line_to_type(make, tmp_path):
    name = "apache_beam"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(
        f"raise ModuleNotFoundError('', name={name!r})"
    )
    repository = pathlib.Path(__file__).parents[2]
    code, stderr = make(PYTHONPATH=f"{tmp_path}:{repository}")
    assert code == 1
    assert stderr == (
        "Error: A Beam pipeline needs the package apache_beam, which is not "
        "installed. Try: pip install 'keras-bert-tf[beam]'\n"
    )


@pytest.mark.skipif(
    importlib.util.find_spec("apache_beam") is None,
    reason="apache_beam is not installed",
)
def test_the_flags_reach_the_pipeline(make, tmp_path):
    code, stderr = make(
        "--num_shards=2",
        "--dupe_factor=3",
        "--random_seed=7",
        "--beam_options=--direct_num_workers=2,"
        "--direct_running_mode=multi_threading",
    )
    assert code == 0, stderr
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["counts"]["documents"] == 8
    assert manifest["settings"]["num_shards"] == 2
    assert manifest["settings"]["examples"]["dupe_factor"] == 3
    assert manifest["settings"]["examples"]["random_seed"] == 7
    assert manifest["settings"]["examples"]["max_seq_length"] == 16
