import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.inputs.answer_windows import context_ranks
from keras_bert.tasks.inputs.question_rows import question_rows
from keras_bert.tasks.inputs.question_rows import unlabelled_questions

_PAIRS = [
    ("who eats", "A dogs – Café."),
    ("who eats meat", "the dogs eat the cat. the bird sees a fish"),
    ("", "the dogs eat the cat. the bird sees a fish"),
    ("", ""),
    ("eats", "\u0301 \x00 \u200b"),
]


def _columns(pairs):
    return [tf.constant(column) for column in zip(*pairs)]


def _rows(preprocess):
    return question_rows(preprocess, unlabelled_questions(_PAIRS))


def test_it_packs_each_window(preprocess):
    packed = preprocess(*_columns(_PAIRS))
    asked = _rows(preprocess)
    num_windows = asked.counts
    assert num_windows.tolist() == [2, 4, 3, 1, 1]
    expected = asked.rows.inputs(range(sum(num_windows)))
    for name, values in expected.items():
        assert packed[name].shape == (11, 10)
        width = values.shape[1]
        np.testing.assert_array_equal(packed[name][:, :width], values)
        assert not np.any(packed[name][:, width:])
    np.testing.assert_array_equal(
        packed["questions"][:, 0], np.repeat(range(5), num_windows)
    )


def test_tokens_have_the_owner_and_the_offsets_of_the_rows(preprocess):
    packed = preprocess(*_columns(_PAIRS))
    asked = _rows(preprocess)
    for (_, windows, spans), start in zip(asked.decode_context, asked.starts):
        owners = windows.owners()
        for window, row in enumerate(range(start, start + len(windows.starts))):
            place = windows.context_start + np.arange(windows.lengths[window])
            tokens = windows.starts[window] + np.arange(windows.lengths[window])
            for name, expected in (
                ("token_starts", spans[0][tokens]),
                ("token_ends", spans[1][tokens]),
                ("is_owned", owners[tokens] == window),
            ):
                values = packed[name][row].numpy()
                assert values.dtype == np.int32
                np.testing.assert_array_equal(values[place], expected)
                values[place] = 0
                assert not values.any()
    # Offsets are in bytes: é has two, the dash three.
    assert packed["token_ends"][0, 4:9].numpy().tolist() == [1, 5, 6, 10, 16]


@pytest.mark.parametrize("most_tokens", [1, 2, 9, 512])
def test_context_is_ranked_as_it_is_compared(most_tokens):
    ranks = context_ranks(most_tokens)
    nearest, length = np.indices(ranks.shape)
    amounts = (nearest + 0.01 * length).ravel()
    order = np.argsort(amounts, kind="stable")
    steps = np.diff(ranks.ravel()[order])
    np.testing.assert_array_equal(steps, np.diff(amounts[order]) > 0)


def test_it_is_the_same_in_a_graph_and_for_no_texts(preprocess):
    expected = preprocess(*_columns(_PAIRS))
    traced = tf.function(
        lambda *texts: preprocess(*texts),
        input_signature=[tf.TensorSpec([None], tf.string)] * 2,
    )
    for name, values in traced(*_columns(_PAIRS)).items():
        np.testing.assert_array_equal(values, expected[name])
    none = tf.constant([], tf.string)
    for values in traced(none, none).values():
        assert values.shape[0] == 0
