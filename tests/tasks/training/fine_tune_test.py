"""Effects of the numbers of a recipe on the weights."""

import random

import keras
import numpy as np
import pytest

from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder

pytestmark = [pytest.mark.large, pytest.mark.usefixtures("eager_steps")]

_TEXTS = ["the dog", "a cat sees", "meat and fish", "seeds", "a bird"]
_LABELS = [0, 0, 1, 1, 0]
_NEARLY_NOTHING = 1e-12


@pytest.fixture
def classifier(make_bert):
    bert = make_bert(num_hidden_layers=2)
    return TextClassifier(bert, labels=["animal", "food"])


def _fit(classifier, **recipe):
    """Fit, by default one step; return the change of each variable."""
    before = {v.path: v.numpy() for v in classifier.model.weights}
    values = {"epochs": 1, "batch_size": 5, "warmup": 0.0, "verbose": 0}
    classifier.fit(_TEXTS, _LABELS, **{**values, **recipe})
    return {
        v.path: float(np.abs(v.numpy() - before[v.path]).max())
        for v in classifier.model.weights
        if "seed" not in v.path
    }


def _layers(moved):
    """Return the names of the layers that have learned."""
    return {path.partition("/")[0] for path, change in moved.items() if change}


def test_frozen_layers_stay_and_learn_again_when_asked(classifier):
    moved = _fit(classifier, learning_rate=0.01, num_frozen_layers=1)
    assert _layers(moved) == {"block_1", "pooler", "classifier"}
    moved = _fit(classifier, learning_rate=0.01)
    assert _layers(moved) >= {"embeddings", "block_0", "block_1"}


def test_adapters_learn_instead_of_the_encoder(classifier):
    classifier.fit(_TEXTS, _LABELS, lora_rank=3, epochs=1, verbose=0)
    moved = _fit(classifier, lora_rank=3, learning_rate=0.01, epochs=2)
    changed = {path for path, change in moved.items() if change}
    own = {path for path in moved if "/lora_kernel" in path}
    head = {p for p in moved if p.startswith(("pooler/", "classifier/"))}
    assert changed == own | head
    weights = [v for v in classifier.model.weights if v.path in own]
    sizes = classifier.pretrained.config.sizes
    count = 4 * sizes["H"] * 3 * len(classifier.pretrained.backbone.blocks)
    assert sum(keras.ops.size(v) for v in weights) == count
    with pytest.raises(ValueError, match="rank 3.* Received: lora_rank=4"):
        _fit(classifier, lora_rank=4)


def test_layers_frozen_through_keras_do_not_learn(classifier):
    classifier.pretrained.encoder.trainable = False
    for recipe in {"num_frozen_layers": 1}, {}:
        moved = _fit(classifier, learning_rate=0.01, weight_decay=0.1, **recipe)
        assert _layers(moved) == {"classifier"}
    slots = " ".join(v.path for v in classifier.model.optimizer.variables)
    assert "classifier_logits" in slots
    assert "block_1" not in slots


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ({"lora_rank": 3, "num_frozen_layers": 1}, "`num_frozen_layers` must"),
        ({"num_frozen_layers": 3}, "num_frozen_layers=3, 2 blocks"),
        ({"num_reset_layers": 3}, "num_reset_layers=3, 2 blocks"),
        ({}, "All layers are frozen"),
    ],
)
def test_recipes_that_do_not_fit_are_refused(classifier, recipe, words):
    classifier.model.trainable = False
    with pytest.raises(ValueError, match=words):
        _fit(classifier, **recipe)


def test_runs_of_one_seed_end_alike(make_bert, tmp_path):
    """Check runs of one seed after different random draws."""
    recipe = {"learning_rate": 0.1, "num_reset_layers": 1, "batch_size": 3}
    bert = make_bert(hidden_dropout_prob=0.1, num_hidden_layers=1)
    TextClassifier(bert, labels=["x", "y"]).save(tmp_path / "x")
    weights, draws = [], []
    for process_seed, seed in ((1, 3), (2, 3), (2, 4)):
        keras.utils.set_random_seed(process_seed)
        classifier = TextClassifier.from_pretrained(tmp_path / "x")
        _fit(classifier, seed=seed, **recipe)
        weights.append(classifier.model.trainable_weights)
        draws.append(random.random())
    first, same, other = weights
    for a, b in zip(first, same, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(np.any(a.numpy() != b.numpy()) for a, b in zip(first, other))
    # Later random draws of a user do not depend on the seed of a fit.
    assert draws[0] != draws[1]


def test_the_highest_layers_can_start_random(classifier):
    moved = _fit(classifier, learning_rate=_NEARLY_NOTHING, num_reset_layers=1)
    reset = {path for path, change in moved.items() if change > 1e-6}
    kernels = {x for x in moved if x.startswith("block_1/") and "kernel" in x}
    assert len(kernels) == 4 and kernels <= reset
    assert {path.partition("/")[0] for path in reset} == {"block_1"}


def test_smoothed_targets_are_in_the_loss(classifier):
    logits = classifier._logits(classifier._encode(_TEXTS)).astype(float)
    log_odds = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    targets = np.eye(2)[_LABELS] * 0.8 + 0.1
    recipe = {"learning_rate": _NEARLY_NOTHING, "label_smoothing": 0.2}
    recipe |= {"epochs": 1, "verbose": 0}
    history = classifier.fit(_TEXTS, _LABELS, **recipe).history
    expected = -(targets * log_odds).sum(1).mean()
    assert history["loss"][0] == pytest.approx(expected, rel=1e-4)


def test_training_stops_and_the_best_epoch_is_kept(classifier, monkeypatch):
    values = iter([0.5, 0.6, 0.4, 0.6, 0.9])
    monkeypatch.setattr(
        classifier.outputs, "metrics", lambda *_: {"accuracy": next(values)}
    )
    seen, model = [], classifier.model
    record = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append(model.get_weights())
    )
    data, recipe = (_TEXTS, _LABELS), {"epochs": 9, "patience": 2}
    recipe |= {"learning_rate": 0.01, "callbacks": [record], "verbose": 0}
    history = classifier.fit(*data, validation_data=data, **recipe).history
    assert history["val_accuracy"] == [0.5, 0.6, 0.4, 0.6]
    kept = model.get_weights()
    for weight, best, last in zip(kept, seen[1], seen[3], strict=True):
        np.testing.assert_array_equal(weight, best)
    assert not np.array_equal(best, last)


class _Seen(keras.callbacks.Callback):
    """Callback that keeps the models and stops in the second epoch."""

    def __init__(self):
        super().__init__()
        self.models, self.rates = [], []

    def on_epoch_end(self, epoch, logs=None):
        self.models.append(self.model)
        self.rates.append(float(self.model.optimizer.learning_rate))
        self.model.stop_training = epoch == 1


@pytest.mark.parametrize("kind", ["parts", "embedder"])
def test_callbacks_see_the_model(make_bert, tmp_path, monkeypatch, kind):
    def make():
        if kind == "embedder":
            return TextEmbedder(make_bert())
        return TextClassifier(make_bert(), labels=["animal", "food"])

    task, other, seen = make(), make(), _Seen()
    recipe = {"epochs": 4, "batch_size": 3, "learning_rate": 0.01, "verbose": 0}
    columns = (_TEXTS, _LABELS)
    if kind == "embedder":
        columns = ([[text, f"{text} eats"] for text in _TEXTS],)
    else:
        recipe["parallel_parts"] = 2
    files = [tmp_path / f"x{end}" for end in (".keras", ".weights.h5")]
    save = keras.callbacks.ModelCheckpoint
    saves = [save(files[0]), save(files[1], save_weights_only=True)]
    history = task.fit(*columns, callbacks=[*saves, seen], **recipe)
    assert seen.models == [task.model] * 2
    assert len(history.history["loss"]) == 2
    assert min(seen.rates) > 0
    monkeypatch.undo()  # Keras loads no changed `compile`.
    inputs = task.preprocess(_TEXTS)
    other.model.load_weights(files[1])
    for model in keras.models.load_model(files[0]), other.model:
        for name, expected in task.model(inputs).items():
            np.testing.assert_allclose(model(inputs)[name], expected, atol=1e-6)
