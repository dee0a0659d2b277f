"""Tests for every fine-tuned task."""

import functools
import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import tasks
from tests.families.golden import Golden
from tests.families.golden import assert_close
from tests.tasks.cases import CASES
from tests.tasks.cases import LONG
from tests.tasks.cases import TEXTS
from tests.tasks.cases import create

pytestmark = pytest.mark.large

_ARCHITECTURES = {
    "TokenClassifier": "BertForTokenClassification",
    "MultipleChoice": "BertForMultipleChoice",
    "QuestionAnswerer": "BertForQuestionAnswering",
}
_LONG_TAIL = ("of_pairs", "ranker", "feature_tagger")


def _cases(*left_out):
    return [
        pytest.param(x, marks=[pytest.mark.exhaustive] * (x in _LONG_TAIL))
        for x in CASES
        if x not in left_out
    ]


_every_task = pytest.mark.parametrize("name", _cases())


@pytest.fixture(scope="module")
def made():
    """Return a function that creates the task of a case once."""
    return functools.cache(create)


def _logits(task, asked):
    return keras.tree.flatten(task._logits(task._encode(asked)))


def _assert_close(found, expected, atol):
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, atol=atol)


@pytest.mark.smoke("classifier", "regressor", "answerer")
@_every_task
def test_the_best_epoch_is_kept(name):
    """The learning rate is too high, so that the last epoch is not the best."""
    task, examples = create(name), CASES[name].examples
    if name == "classifier":
        task.main_metric = "f1"
    recipe = {"learning_rate": 0.02, "warmup": 0.0, "batch_size": 2}
    recipe |= {"validation_data": examples, "epochs": 5, "verbose": 0}
    history = task.fit(*examples, **recipe).history
    best = np.argmax(history[f"val_{task.main_metric}"])
    metrics = task.evaluate(*examples)
    found = {key: x[best] for key, x in history.items() if key[:4] == "val_"}
    assert found.pop("val_loss") > 0
    assert found == pytest.approx({f"val_{x}": metrics[x] for x in metrics})
    if name == "answerer":  # All of its questions have answers.
        assert task.settings["has_impossible"] is False
        assert task.null_threshold is None
    is_accurate = name not in ("regressor", "ranker", "answerer")
    assert ("accuracy" in history) == is_accurate


@_every_task
@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_saved_task_answers_the_same(made, tmp_path, name, format):
    task, case = made(name), CASES[name]
    if format == "hf" and case.kind.startswith("Feature"):
        with pytest.raises(ValueError, match="format='hf'"):
            task.save(tmp_path / "x", format=format)
        assert not (tmp_path / "x").exists()
        return
    task.save(tmp_path, format=format)
    again = tasks.load_task(tmp_path)
    assert type(again) is type(task)
    assert again.settings == task.settings
    _assert_close(_logits(again, case.asked), _logits(task, case.asked), 1e-5)
    if format == "hf":
        config = json.loads((tmp_path / "config.json").read_text())
        default = "BertForSequenceClassification"
        expected = _ARCHITECTURES.get(case.kind, default)
        assert config["architectures"] == [expected]
        if name == "classifier":
            assert config["id2label"] == {"0": "x", "1": "y"}
            assert config["problem_type"] == "single_label_classification"


@_every_task
def test_a_text_in_company_has_the_answer_that_it_has_alone(made, name):
    task, asked = made(name), CASES[name].asked
    alone = [x for text in asked for x in _logits(task, [text])]
    together = _logits(task, asked)
    if len(together) == 1:  # One array for all texts.
        together = np.split(together[0], len(asked))
    _assert_close(together, alone, 1e-4)


@_every_task
def test_one_text_has_one_answer(made, name):
    task, first = made(name), CASES[name].asked[0]
    values = first if isinstance(first, tuple) else (first,)
    forms = [dict(zip(task.text_inputs, values, strict=True))]
    if isinstance(first, str):
        forms += [first, tf.constant(first), np.array(first)]
    (expected,) = task.predict([first])
    for one in forms:
        assert task.predict(one) == expected
    with pytest.raises(ValueError, match="keys.*the keys 'sentence'"):
        task.predict({"sentence": "the dog"})


@_every_task
def test_an_ensemble_of_one_model_answers_as_the_model(made, name):
    task, (_, examples, asked) = made(name), CASES[name][1:]
    ensemble = tasks.Ensemble([task, task])
    assert ensemble.predict(asked) == task.predict(asked)
    assert ensemble.evaluate(*examples) == task.evaluate(*examples)
    assert ensemble.predict([]) == task.predict([]) == []


@pytest.mark.parametrize("name", _cases("windows"))
def test_graphs_answer_all_texts_and_mark_cut_ones(made, name):
    task, asked = made(name), CASES[name].asked
    columns = [*zip(*asked)] if isinstance(asked[0], tuple) else [asked]
    answers = task.predict_texts(*map(tf.constant, columns))
    assert tuple(answers) == task.output_names
    plain = {key: x.numpy() for key, x in answers.items()}
    if "probabilities" in plain:
        expected = task.probabilities(asked)
        np.testing.assert_allclose(plain["probabilities"], expected, atol=1e-5)
    for key in {*plain} & {"label", "choice", "answer", "start", "end"}:
        expected = tf.constant([x[key] for x in task.predict(asked)])
        assert [*plain[key]] == [*expected.numpy()]
    if name == "answerer":
        return
    is_cut = [LONG in str(text) for text in asked]
    assert answers["truncated"].numpy().tolist() == is_cut
    for found, expected in zip(task.predict(asked), is_cut, strict=True):
        found = found if isinstance(found, list) else [found]
        marks = [x["truncated"] for x in found if "truncated" in str(x)]
        assert {*marks} <= {expected}


def test_what_is_read_in_windows_is_not_cut(made):
    assert not any(x["truncated"] for x in made("windows").predict(TEXTS))


@pytest.mark.smoke("windows", "chooser", "answerer")
@_every_task
def test_a_progress_bar_counts_rows(made, name, capsys):
    task, asked = made(name), CASES[name].asked
    task.predict(asked)
    assert "/" not in capsys.readouterr().out
    task.predict(asked, show_progress_bar=True)
    count = len(task._encode(asked).rows)
    assert f"{count}/{count}" in capsys.readouterr().out


@pytest.mark.smoke("regressor")
@_every_task
def test_tokens_limit_batches(made, name):
    task = made(name)
    ensemble = tasks.Ensemble([task, task])
    for one in (task, ensemble):
        one.batch_tokens = 64
        assert task.batch_tokens == ensemble.batch_tokens == 64
        with pytest.raises(ValueError, match="Received: batch_tokens=0"):
            one.batch_tokens = 0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("token_classification", "TokenClassifier"),
        ("multiple_choice", "MultipleChoice"),
        ("question_answering", "QuestionAnswerer"),
    ],
)
def test_logits_are_published(make_settings_of, tmp_path, name, kind):
    """Compare with the outputs of transformers."""
    golden = Golden(name, make_settings_of)
    task = tasks.load_task(golden.write(tmp_path / "hf"))
    assert type(task).__name__ == kind
    is_tagger = kind == "TokenClassifier"
    found = (task.model if is_tagger else task.predict_ids)(golden.inputs)
    for key, values in golden.outputs.items():
        is_of_tokens = values.shape[:2] == golden.real.shape
        kept = golden.real if is_of_tokens else slice(None)
        assert_close(found[key].numpy()[kept], values[kept], 1e-4)


@pytest.mark.smoke("classifier", "windows", "chooser", "answerer")
@_every_task
def test_a_model_that_gives_one_answer_is_noticed(name, caplog):
    """The head ignores its inputs, and the learning rate rounds to 0."""
    task, examples = create(name), CASES[name].examples
    kernel, bias = task._last_layer.logits.get_weights()
    task._last_layer.logits.set_weights([0 * kernel, bias])
    assert task._collapse(task._labelled(*examples))
    task.fit(*examples, epochs=1, learning_rate=1e-60, verbose=0)
    assert "Training has failed" in caplog.text
    assert task.remedies in caplog.text
