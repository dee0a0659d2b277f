import keras
import numpy as np
import pytest

from keras_bert.tasks import TextClassifier

_LABELS, _MEAL = ["animal", "food"], ["meal", "animal"]
_SWAPPED = {"food": "animal", "animal": "food"}
_TEXTS = ["the dog", "a cat sees", "the bird", "meat", "a fish", "seeds"]
_TARGETS = [0, 0, 0, 1, 1, 1]


@pytest.fixture
def classifier(bert):
    return TextClassifier(bert, labels=_LABELS)


@pytest.fixture(scope="module")
def trained(make_bert):
    """Return a classifier trained on the texts; no test changes it."""
    keras.utils.set_random_seed(1)
    classifier = TextClassifier(make_bert(), labels=_LABELS)
    recipe = {"epochs": 30, "learning_rate": 3e-3, "batch_size": 3}
    classifier.fit(_TEXTS, _TARGETS, verbose=0, **recipe)
    return classifier


def _labels(answers):
    return [answer["label"] for answer in answers]


def test_it_learns_the_labels_of_a_few_texts(trained):
    answers = trained.predict(_TEXTS)
    assert _labels(answers) == [_LABELS[target] for target in _TARGETS]
    assert all(answer["probability"] > 0.8 for answer in answers)
    assert not trained._collapse(trained._labelled(_TEXTS, _TARGETS))
    names = ["accuracy", "macro_f1", "f1", "matthews_correlation"]
    assert trained.evaluate(_TEXTS, _TARGETS) == dict.fromkeys(names, 1.0)


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        ({}, _LABELS),
        ({"labels": _LABELS[::-1]}, _LABELS[::-1]),
        ({"rename_labels": {"food": "meal"}, "labels": _MEAL}, _MEAL),
        ({"rename_labels": _SWAPPED}, _LABELS[::-1]),
    ],
)
def test_labels_keep_their_outputs(trained, arguments, labels):
    before = trained.probabilities(_TEXTS)
    other = TextClassifier(trained.pretrained, **arguments)
    assert other.labels == labels
    is_moved = "labels" in arguments and labels[0] != "animal"
    expected = before[:, ::-1] if is_moved else before
    np.testing.assert_allclose(other.probabilities(_TEXTS), expected, atol=1e-6)
    # The original model's predictions do not change.
    np.testing.assert_array_equal(trained.probabilities(_TEXTS), before)


def test_a_random_head_is_told_of_until_it_has_learned(bert, trained, caplog):
    trained.predict(_TEXTS)
    assert "is random" not in caplog.text
    classifier = TextClassifier(bert, labels=_LABELS)
    for _ in range(2):
        classifier.predict(_TEXTS)
    assert caplog.text.count("The head of this TextClassifier is random") == 1
    caplog.clear()
    learned = TextClassifier(trained.pretrained, labels=_LABELS, new_head=True)
    kernels = [x._last_layer.get_weights()[0] for x in (learned, trained)]
    assert np.abs(kernels[0] - kernels[1]).min() > 0
    learned.fit(_TEXTS, _TARGETS, (_TEXTS, _TARGETS), epochs=1, verbose=0)
    learned.predict(_TEXTS)
    assert "is random" not in caplog.text


def test_a_failed_fit_changes_nothing(trained):
    before = trained.settings.copy()
    for examples in ([("a", "b")], [7]), (["a"], [0], ["no validation"]):
        with pytest.raises(ValueError):
            trained.fit(*examples, verbose=0)
    with pytest.raises(ValueError, match="class_weights"):
        trained.fit([("a", "b")], [0], class_weights=[1, 2])
    with pytest.raises(ValueError, match="needs `validation_data`.*patience=1"):
        trained.fit([("a", "b")], [0], patience=1, verbose=0)
    assert trained.settings == before


def test_names_that_were_made_up_are_replaced(classifier):
    classifier.settings["labels"] = ["LABEL_0", "LABEL_1"]
    expected = classifier.probabilities(_TEXTS)
    for labels, step in (_LABELS, 1), (["LABEL_1", "LABEL_0"], -1):
        named = TextClassifier(classifier.pretrained, labels=labels)
        found = named.probabilities(_TEXTS)
        np.testing.assert_allclose(found, expected[:, ::step], atol=1e-6)


def test_it_takes_pairs_and_knows_them_again(classifier, tmp_path):
    pairs = [("the dog", text) for text in _TEXTS]
    classifier.fit(pairs, _TARGETS, epochs=1, verbose=0)
    assert classifier.text_inputs == ("text", "text_pair")
    classifier.save(tmp_path)
    again = TextClassifier.from_pretrained(tmp_path)
    assert again.is_pair is True
    inputs = classifier.preprocess(["the dog"], ["seeds"])
    assert np.sum(inputs["segment_ids"]) == 2
    found = again._logits(again._encode([("the dog", "seeds")]))
    expected = classifier.model(inputs)["logits"]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    with pytest.raises(ValueError, match="must be pairs.*'the dog' at index 0"):
        again.predict(["the dog"])


def test_weights_of_classes_weigh_the_loss(classifier):
    weights = {"food": 0.25}
    examples = classifier._labelled(_TEXTS, _TARGETS, class_weights=weights)
    assert examples.weights.tolist() == [1, 1, 1, 0.25, 0.25, 0.25]


def test_several_labels_are_those_of_half_or_more(bert):
    labels = ["x", "y", "z", "w"]
    classifier = TextClassifier(bert, labels=labels, multi_label=True)
    found = [_labels(x) for x in classifier.predict(_TEXTS)]
    assert 0 < sum(map(len, found)) < len(labels) * len(_TEXTS)
    assert [{*row} for row in found] == [
        {labels[place] for place in np.flatnonzero(row >= 0.5)}
        for row in classifier.probabilities(_TEXTS)
    ]
    assert classifier.evaluate(_TEXTS, found)["accuracy"] == 1.0
    outputs = classifier.predict_ids(classifier.preprocess(_TEXTS))
    assert (*outputs, "truncated") == classifier.output_names
    rows = outputs["labels"].numpy()
    assert [[x.decode() for x in row if x] for row in rows] == found
