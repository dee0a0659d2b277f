import json

import keras
import numpy as np
import pytest

from keras_bert.tasks import TextClassifier

_LABELS = ["animal", "food"]
_TEXTS = [
    "the dog",
    "a cat sees",
    "the bird",
    "meat and fish",
    "a fish",
    "seeds",
]
_TARGETS = [0, 0, 0, 1, 1, 1]


@pytest.fixture
def classifier(bert):
    return TextClassifier(bert, labels=_LABELS)


@pytest.fixture(scope="module")
def trained(make_bert):
    """Return a classifier trained on the texts; no test changes it."""
    keras.utils.set_random_seed(1)
    classifier = TextClassifier(make_bert(), labels=_LABELS)
    classifier.fit(
        _TEXTS, _TARGETS, epochs=30, learning_rate=3e-3, batch_size=3, verbose=0
    )
    return classifier


def _labels(answers):
    return [answer["label"] for answer in answers]


def test_it_learns_the_labels_of_a_few_texts(trained):
    answers = trained.predict(_TEXTS)
    assert _labels(answers) == [_LABELS[target] for target in _TARGETS]
    assert all(answer["probability"] > 0.8 for answer in answers)
    assert not trained._collapse(trained._labelled(_TEXTS, _TARGETS))
    assert trained.evaluate(_TEXTS, _TARGETS) == {
        "accuracy": 1.0,
        "macro_f1": 1.0,
        "f1": 1.0,
        "matthews_correlation": 1.0,
    }


def test_transformers_finds_the_labels_in_the_config(classifier, tmp_path):
    classifier.save(tmp_path, format="hf")
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["BertForSequenceClassification"]
    assert config["id2label"] == {"0": "animal", "1": "food"}
    assert config["problem_type"] == "single_label_classification"


def test_a_new_head_is_made_where_it_is_asked_for(trained, tmp_path):
    trained.save(tmp_path)
    other = TextClassifier.from_pretrained(
        tmp_path, labels=["x", "y"], new_head=True
    )
    kernel = trained.pretrained.task_head.get_weights()[0]
    assert (
        np.abs(other.pretrained.task_head.get_weights()[0] - kernel).min() > 0
    )
    encoders = [x.pretrained.encoder.get_weights() for x in (trained, other)]
    for one, two in zip(*encoders, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        ({}, _LABELS),
        ({"labels": _LABELS}, _LABELS),
        ({"labels": _LABELS[::-1]}, _LABELS[::-1]),
        ({"rename_labels": {"food": "meal"}}, ["animal", "meal"]),
        (
            {"rename_labels": {"food": "meal"}, "labels": ["meal", "animal"]},
            ["meal", "animal"],
        ),
        # The labels swap names.
        (
            {"rename_labels": {"food": "animal", "animal": "food"}},
            _LABELS[::-1],
        ),
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": ["animal", "meal"]}, "new_head=True.*'meal'"),
        ({"labels": [*_LABELS, "x"]}, "trained for the labels animal, food"),
        ({"rename_labels": {"cat": "x"}}, r"animal, food.*Received.*'cat'"),
        ({"rename_labels": {"food": "animal"}}, "two different names"),
        ({"rename_labels": 3}, "must be a dict.*Received.*3"),
        ({"rename_labels": np.array(["x"])}, "must be a dict.*array"),
        ({"new_head": np.array([1, 2])}, "`new_head` must be True or False"),
        ({"multi_label": "yes"}, "`multi_label` must be True or False"),
        ({"multi_label": np.array([1, 2])}, "`multi_label` must be True or"),
        ({"seq_length": "12"}, "`seq_length` must be from 1.*'12'"),
        ({"seq_length": np.array([1, 2])}, "`seq_length` must be from 1.*arr"),
        ({"windows": "mean", "stride": "4"}, "`stride` must be an int.*'4'"),
        ({"truncation": ["head"]}, r"`truncation` must be one of .*\['head'\]"),
        ({"truncation": ""}, "`truncation` must be one of .*''"),
    ],
)
def test_a_trained_head_is_not_dropped_unasked(trained, arguments, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier(trained.pretrained, **arguments)


def test_a_random_head_is_told_of_until_it_has_learned(bert, trained, caplog):
    trained.predict(_TEXTS)
    assert "is random" not in caplog.text
    classifier = TextClassifier(bert, labels=_LABELS)
    for _ in range(2):
        classifier.predict(_TEXTS)
    assert caplog.text.count("The head of this TextClassifier is random") == 1
    caplog.clear()
    learned = TextClassifier(trained.pretrained, labels=_LABELS, new_head=True)
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


def test_names_that_were_made_up_are_replaced(classifier, tmp_path):
    classifier.settings["labels"] = ["LABEL_0", "LABEL_1"]
    classifier.save(tmp_path)
    named = TextClassifier.from_pretrained(tmp_path, labels=_LABELS)
    expected = classifier.probabilities(_TEXTS)
    np.testing.assert_allclose(named.probabilities(_TEXTS), expected, atol=1e-6)
    best = [_LABELS[place] for place in expected.argmax(axis=1)]
    assert _labels(named.predict(_TEXTS)) == best
    permuted = TextClassifier.from_pretrained(
        tmp_path, labels=["LABEL_1", "LABEL_0"]
    )
    np.testing.assert_allclose(
        permuted.probabilities(_TEXTS), expected[:, ::-1], atol=1e-6
    )


def test_it_takes_pairs_and_knows_them_again(classifier, tmp_path):
    pairs = [("the dog", text) for text in _TEXTS]
    classifier.fit(pairs, _TARGETS, epochs=1, verbose=0)
    assert classifier.text_inputs == ("text", "text_pair")
    classifier.save(tmp_path)
    again = TextClassifier.from_pretrained(tmp_path)
    assert again.is_pair is True
    expected = classifier.preprocess(["the dog"], ["seeds"])
    segments = np.asarray(expected["segment_ids"])
    assert segments.sum() == 2
    logits = np.asarray(classifier.model(expected)["logits"])
    np.testing.assert_allclose(
        again._logits(again._encode([("the dog", "seeds")])), logits, atol=1e-5
    )
    with pytest.raises(ValueError, match="must be pairs.*'the dog' at index 0"):
        again.predict(["the dog"])


def test_weights_of_classes_weigh_the_loss(classifier):
    examples = classifier._labelled(
        _TEXTS, _TARGETS, class_weights={"food": 0.25}
    )
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
    assert (*outputs, "truncated") == classifier.outputs
    rows = outputs["labels"].numpy()
    assert [[x.decode() for x in row if x] for row in rows] == found
    with pytest.raises(ValueError, match="list of labels.*'q'.*index 1"):
        classifier.evaluate(["a", "b"], [["x"], ["q"]])


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a", "b"], [0], "2 examples, 1 labels"),
        ([], [], r"Received: .*\[\]"),
        (["a"], ["cat"], "animal, food.*'cat' at index 0"),
        (["a", "b"], [0, 2], "from 0 to 1.*2 at index 1"),
        (["a"], [True], "True at index 0"),
        (["a"], None, "`labels` must be given"),
        ("ab", [0, 1], "must be a list. Received: 'ab'"),
    ],
)
def test_bad_examples_are_named(classifier, texts, labels, message):
    with pytest.raises(ValueError, match=message):
        classifier.fit(texts, labels)


@pytest.mark.parametrize(
    "labels", [None, ["x"], ["x", "x"], ["x", 3], [" pos", "pos"]]
)
def test_bad_names_of_labels_are_an_error(bert, labels):
    with pytest.raises(ValueError, match="`labels` must be"):
        TextClassifier(bert, labels=labels)


@pytest.mark.parametrize(
    "weights, message",
    [
        ({"food": float("nan")}, "must be finite, at least 0"),
        ({"food": -1.0}, "must be finite, at least 0"),
        (dict.fromkeys(_LABELS, 0), "must be finite, at least 0"),
        ([1.0, 2.0], r"must be a dict .*: \[1.0, 2.0\]"),
    ],
)
def test_weights_that_cannot_be_are_refused(classifier, weights, message):
    with pytest.raises(ValueError, match=f"class_weights` {message}"):
        classifier.fit(_TEXTS, _TARGETS, class_weights=weights)
