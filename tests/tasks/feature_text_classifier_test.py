import dataclasses

import keras
import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.tasks import FeatureTextClassifier
from keras_bert.tasks import load_task
from keras_bert.tasks.training.recipe import Recipe

_LABELS = ["animal", "food"]
_TEXTS = ["the dog", "a cat sees", "the bird", "meat and fish", "a fish"]
_TARGETS = [0, 0, 0, 1, 1]


@pytest.fixture(scope="module")
def trained(make_bert):
    """Return a classifier trained on the texts; no test changes it."""
    keras.utils.set_random_seed(1)
    classifier = FeatureTextClassifier(make_bert(), labels=_LABELS, dropout=0.0)
    recipe = {"epochs": 15, "learning_rate": 0.02, "batch_size": 3}
    classifier.fit(_TEXTS, _TARGETS, verbose=0, **recipe)
    return classifier


def _arrays(model):
    return [np.array(weight) for weight in model.get_weights()]


def test_it_learns_the_labels_of_a_few_texts(trained):
    assert trained.evaluate(_TEXTS, _TARGETS)["accuracy"] == 1.0


def test_only_the_head_learns_and_nothing_is_left(bert, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = _arrays(bert.encoder)
    classifier = FeatureTextClassifier(
        bert, labels=_LABELS, combination="weighted", layers=range(2)
    )
    head = _arrays(classifier.head_model)
    classifier.fit(_TEXTS, _TARGETS, epochs=1, verbose=0)
    assert all(map(np.array_equal, before, _arrays(bert.encoder)))
    assert not any(map(np.array_equal, head, _arrays(classifier.head_model)))
    assert [*tmp_path.iterdir()] == []


def test_other_labels_or_layers_get_a_new_head_if_asked_for(trained, tmp_path):
    trained.save(tmp_path)
    for changes in ({"labels": ["x", "y"]}, {"layers": [0]}):
        with pytest.raises(ValueError, match="trained .*new_head=True"):
            FeatureTextClassifier.from_pretrained(tmp_path, **changes)
        other = FeatureTextClassifier.from_pretrained(
            tmp_path, new_head=True, **changes
        )
        heads = [_arrays(x.head_model) for x in (trained, other)]
        assert (heads[0][-2] != heads[1][-2]).any()


def test_the_recipes_of_others_will_do(bert):
    classifier = FeatureTextClassifier(bert, labels=_LABELS)
    recipe = classifier._recipe(**dataclasses.asdict(Recipe(epochs=2)))
    assert (recipe.epochs, recipe.num_frozen_layers) == (2, -1)


def test_a_head_that_would_be_lost_is_an_error(trained, tmp_path):
    trained.save(tmp_path)
    with pytest.raises(ValueError, match="FeatureTextClassifier.from_pretr"):
        FeatureTextClassifier(from_pretrained(tmp_path))
    (tmp_path / "head.safetensors").unlink()
    with pytest.raises(CheckpointError, match="was changed or deleted"):
        load_task(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="head.safetensors"):
        load_task(tmp_path)
