"""run_tagger.py and run_multiple_choice.py, from files to predictions."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.config import BertConfig
from keras_bert.data import read_conll
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import TokenClassifier
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.vocabulary import SPECIAL_TOKENS

pytestmark = pytest.mark.large

_REPOSITORY = pathlib.Path(__file__).parents[2]
_WORDS = "the a dog cat bird sees likes".split()


@pytest.fixture
def place(tmp_path):
    """A folder with files of both tasks and a model to start from."""
    config = BertConfig(
        vocab_size=len(SPECIAL_TOKENS) + len(_WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=16,
    )
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *_WORDS]))
    save_pretrained(
        PretrainedModel.from_config(config, tokenizer), tmp_path / "bert"
    )
    for name, tag in (("train", "I-X"), ("dev", "I-X"), ("test", "I-Y")):
        (tmp_path / f"{name}.conll").write_text(
            f"the O\ndog {tag}\n\na O\ncat I-X\n"
        )
        (tmp_path / f"{name}.csv").write_text(
            "sent1,sent2,ending0,ending1,label\n"
            "the dog,it,sees,likes,0\na cat,it,likes,sees,1\n"
        )
    return tmp_path


def _run(tool, place, *more):
    result = subprocess.run(
        [
            sys.executable,
            _REPOSITORY / "tools" / f"{tool}.py",
            "--init_dir=bert",
            "--output_dir=out",
            "--num_train_epochs=2",
            "--precision=float32",
            *more,
        ],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in result.stderr
    return result.returncode, result.stderr


def test_a_tagger_is_made_from_files(place):
    files = [f"--{x}_file={x}.conll" for x in ("train", "dev", "test")]
    code, stderr = _run("run_tagger", place, *files)
    assert code == 0, stderr
    tagger = TokenClassifier.from_pretrained(place / "out")
    assert tagger.labels == ["O", "B-X", "I-X", "B-Y", "I-Y"]
    dev, test = (read_conll(place / f"{x}.conll") for x in ("dev", "test"))
    assert json.loads((place / "out" / "eval.json").read_text()) == {
        "dev": pytest.approx(tagger.evaluate(dev)),
        "test": pytest.approx(tagger.evaluate(test)),
    }
    written = place / "out" / "predictions.conll"
    predicted = [tuple(row) for row in tagger.predict_words(test.words)]
    assert read_conll(written).tags == tuple(predicted)
    assert read_conll(written, tag_column=1).tags == test.tags


def test_a_bad_tag_is_named_before_training(place):
    (place / "dev.conll").write_text("the O\ndog S-X\n\na I-X\n")
    files = [f"--{x}_file={x}.conll" for x in ("train", "dev")]
    code, stderr = _run("run_tagger", place, *files)
    assert code == 1
    assert "dev.conll, line 4: 'I-X'" in stderr.splitlines()[-1]
    assert not (place / "out" / "eval.json").exists()


def test_a_chooser_is_made_from_files(place):
    files = [f"--{x}_file={x}.csv" for x in ("train", "dev")]
    (place / "test.csv").write_text(
        "sent1,sent2,ending0,ending1\nthe bird,it,sees,likes\n"
    )
    code, stderr = _run(
        "run_multiple_choice",
        place,
        *files,
        "--test_file=test.csv",
        "--num_choices=2",
    )
    assert code == 0, stderr
    chooser = MultipleChoice.from_pretrained(place / "out")
    questions = [
        ("the dog", ["it sees", "it likes"]),
        ("a cat", ["it likes", "it sees"]),
    ]
    scores = json.loads((place / "out" / "eval.json").read_text())
    assert scores == {"dev": chooser.evaluate(questions, [0, 1])}
    (line,) = (place / "out" / "predictions.jsonl").read_text().splitlines()
    (answer,) = chooser.predict([("the bird", ["it sees", "it likes"])])
    assert json.loads(line) == pytest.approx(answer)
