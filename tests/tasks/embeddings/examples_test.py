import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.embeddings.examples import embedding_examples
from keras_bert.template import Template
from keras_bert.text.preprocessor import Preprocessor

_PAIRS = [("the dog", "meat"), ("a cat eats", "fish"), ("the dog", "a bird")]


@pytest.fixture
def preprocess(bert):
    return Preprocessor(bert.tokenizer, Template(), 12)


def test_a_text_that_comes_again_is_held_once(preprocess):
    examples = embedding_examples(preprocess, _PAIRS)
    assert examples.groups.tolist() == [[0, 1], [2, 3], [0, 4]]
    assert len(examples.rows) == 5
    assert examples.lengths.tolist() == [4, 5, 4]
    assert not examples.are_scored_pairs


def test_a_batch_has_the_texts_of_each_example(preprocess):
    examples = embedding_examples(preprocess, _PAIRS)
    inputs, targets, _ = examples.batch(np.array([1, 0]))
    assert inputs["input_ids"].shape == (2, 2, 5)
    for row, text in zip(
        inputs["input_ids"].reshape(4, 5),
        ["a cat eats", "fish", "the dog", "meat"],
    ):
        expected = preprocess([text])["input_ids"].numpy()[0, :5]
        np.testing.assert_array_equal(row, expected)
    assert targets["embedding"].tolist() == [[2, 3], [0, 1]]


def test_scores_are_the_targets_of_scored_pairs(preprocess):
    examples = embedding_examples(preprocess, _PAIRS, [1, 0.5, -1])
    _, targets, _ = examples.batch(np.array([2, 0]))
    assert targets["embedding"].tolist() == [-1, 1]


def test_any_container_will_do(preprocess):
    columns = tuple(map(list, zip(*_PAIRS)))
    plain = embedding_examples(preprocess, _PAIRS)
    scored = embedding_examples(preprocess, _PAIRS, [1, 0.5, -1])
    from_tensors = tf.data.Dataset.from_tensor_slices
    named = dict(zip(("anchor", "positive"), columns))
    for given, expected in (
        ([np.array(_PAIRS)], plain),
        ([[*map(list, _PAIRS)]], plain),
        ([from_tensors(columns).batch(2)], plain),
        ([named], plain),
        ([(*map(np.array, columns),)], plain),
        ([[dict(zip(named, pair)) for pair in _PAIRS]], plain),
        ([{**named, "label": [1, 0.5, -1]}], scored),
        (
            [
                [
                    {"anchor": a, "positive": b, "label": label}
                    for (a, b), label in zip(_PAIRS, [1, 0.5, -1])
                ]
            ],
            scored,
        ),
        ([_PAIRS, np.array([1, 0.5, -1])], scored),
        ([_PAIRS, np.array([[1], [0.5], [-1]])], scored),
        ([from_tensors((columns, [1, 0.5, -1]))], scored),
    ):
        other = embedding_examples(preprocess, *given)
        np.testing.assert_array_equal(other.groups, expected.groups)
        np.testing.assert_array_equal(other.targets, expected.targets)


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        ([], None, r"Received: .*\[\]"),
        (["ab", "cd"], None, "pairs or triplets.*'ab' at index 0"),
        ([("a",)], None, r"\('a',\) at index 0"),
        ([("a", "b")] * 2, [[1, 2], [3]], r"list of 2 .*\[3\] at index 1"),
        (
            [("a", "b")] * 2,
            np.array([[1, 2], [1, np.nan]]),
            r"nan\] at index 1",
        ),
        ([("a", "b")] * 2, np.array([[1], [np.nan]]), "finite.*nan at index 1"),
        ([("a", "b"), ("c",)], None, r"pairs or trip.*\('c',\) at index 1"),
        ([("a", "b"), "cd"], None, "pairs or trip.*'cd' at index 1"),
        ([("a", "b"), ("c", None)], None, "None at index 1"),
        ([("a", "b")], [1, 0], "1 examples, 2 labels"),
        ([("a", "b")], ["x"], "finite number.*'x' at index 0"),
        ("ab", None, "must be a list. Received: 'ab'"),
    ],
)
def test_bad_examples_are_named(preprocess, texts, labels, message):
    with pytest.raises(ValueError, match=message):
        embedding_examples(preprocess, texts, labels)


def test_a_data_set_of_single_texts_is_an_error(preprocess):
    data = tf.data.Dataset.from_tensor_slices(["the dog", "a cat"])
    with pytest.raises(ValueError, match="pairs or triplets.*the dog"):
        embedding_examples(preprocess, data)
