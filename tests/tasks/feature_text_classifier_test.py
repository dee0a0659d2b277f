import dataclasses
import pathlib

import keras
import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.tasks import FeatureTextClassifier
from keras_bert.tasks import load_task
from keras_bert.tasks.fine_tuning.recipe import Recipe

_LABELS = ["animal", "food"]
_TEXTS = ["the dog", "a cat sees", "the bird", "meat and fish", "a fish"]
_TARGETS = [0, 0, 0, 1, 1]


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def trained(make_bert, cache_dir):
    """Return a classifier trained on the texts; no test changes it."""
    keras.utils.set_random_seed(1)
    classifier = FeatureTextClassifier(
        make_bert(), labels=_LABELS, dropout=0.0, cache_dir=cache_dir
    )
    classifier.history = classifier.fit(
        _TEXTS,
        _TARGETS,
        validation_data=(_TEXTS[::-1], _TARGETS[::-1]),
        epochs=15,
        learning_rate=0.02,
        batch_size=3,
        verbose=0,
    ).history
    return classifier


def _arrays(model):
    return [np.array(weight) for weight in model.get_weights()]


def test_it_learns_the_labels_of_a_few_texts(trained):
    answers = trained.predict(_TEXTS)
    assert [answer["label"] for answer in answers] == [
        _LABELS[target] for target in _TARGETS
    ]


@pytest.mark.exhaustive
def test_states_are_computed_once(trained, cache_dir):
    def stamps():
        return {p: p.stat().st_mtime_ns for p in cache_dir.iterdir()}

    before = stamps()
    again = FeatureTextClassifier(
        trained.pretrained.without_task(), labels=_LABELS, cache_dir=cache_dir
    )
    again.fit(_TEXTS, _TARGETS, epochs=1, verbose=0)
    assert stamps() == before
    # Training and validation texts.
    assert len([p for p in before if p.suffix == ".npy"]) == 2


def test_only_the_head_learns_and_nothing_is_left(bert, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = _arrays(bert.encoder)
    classifier = FeatureTextClassifier(
        bert, labels=_LABELS, combination="weighted", layers=range(2)
    )
    head = _arrays(classifier.head_model)
    classifier.fit(_TEXTS, _TARGETS, epochs=1, verbose=0)
    for old, new in zip(before, _arrays(bert.encoder), strict=True):
        np.testing.assert_array_equal(old, new)
    assert all(
        (old != new).any()
        for old, new in zip(head, _arrays(classifier.head_model), strict=True)
    )
    assert [*tmp_path.iterdir()] == []


def test_other_labels_or_layers_get_a_new_head_if_asked_for(trained, tmp_path):
    trained.save(tmp_path)
    for changes in ({"labels": ["x", "y"]}, {"layers": [0]}):
        with pytest.raises(ValueError, match="trained .*new_head=True"):
            FeatureTextClassifier.from_pretrained(tmp_path, **changes)
        other = FeatureTextClassifier.from_pretrained(
            tmp_path, new_head=True, **changes
        )
        kernel, fresh = (
            model.head_model.get_layer("forward_lstm_1").get_weights()[0]
            for model in (trained, other)
        )
        assert (kernel != fresh).any()


@pytest.mark.parametrize(
    "field", [{"num_frozen_layers": 1}, {"layer_decay": 0.9}]
)
def test_a_recipe_for_the_encoder_is_refused(bert, field):
    classifier = FeatureTextClassifier(bert, labels=_LABELS)
    ((name, value),) = field.items()
    with pytest.raises(ValueError, match=f"Received: {name}={value}"):
        classifier.fit(_TEXTS, _TARGETS, **field)


def test_the_recipes_of_others_will_do(bert):
    classifier = FeatureTextClassifier(bert, labels=_LABELS)
    recipe = classifier._recipe(**dataclasses.asdict(Recipe(epochs=2)))
    assert (recipe.epochs, recipe.num_frozen_layers) == (2, -1)


def test_a_head_that_would_be_lost_is_an_error(trained, tmp_path):
    trained.save(tmp_path)
    with pytest.raises(ValueError, match="FeatureTextClassifier.from_pretr"):
        FeatureTextClassifier(from_pretrained(tmp_path))
    (tmp_path / "head.safetensors").unlink()
    with pytest.raises(
        CheckpointError, match="head.safetensors was changed or deleted"
    ):
        load_task(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="head.safetensors"):
        load_task(tmp_path)


def test_a_cache_that_cannot_be_written_is_an_error(bert, tmp_path):
    path = pathlib.Path(tmp_path, "file")
    path.touch()
    with pytest.raises(ValueError, match="file"):
        FeatureTextClassifier(bert, labels=_LABELS, cache_dir=path)
