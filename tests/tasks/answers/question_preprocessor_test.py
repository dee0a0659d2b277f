import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.answers.answer_windows import context_ranks
from keras_bert.tasks.answers.question_rows import question_rows
from keras_bert.tasks.answers.question_rows import unlabelled_questions

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


def test_each_token_is_owned_by_one_window(preprocess):
    packed = preprocess(*_columns(_PAIRS))
    asked = _rows(preprocess)
    for (_, windows, _), start in zip(asked.decode_context, asked.starts):
        owners = windows.owners()
        for window, row in enumerate(range(start, start + len(windows.starts))):
            is_context = packed["token_ends"][row].numpy() > 0
            place = windows.context_start + np.arange(windows.lengths[window])
            np.testing.assert_array_equal(np.flatnonzero(is_context), place)
            tokens = windows.starts[window] + np.arange(windows.lengths[window])
            np.testing.assert_array_equal(
                packed["is_owned"][row][is_context], owners[tokens] == window
            )
            assert not np.any(packed["is_owned"][row][~is_context])


@pytest.mark.parametrize("most_tokens", [1, 2, 9, 512])
def test_context_is_ranked_as_it_is_compared(most_tokens):
    ranks = context_ranks(most_tokens)
    nearest, length = np.indices(ranks.shape)
    amounts = (nearest + 0.01 * length).ravel()
    order = np.argsort(amounts, kind="stable")
    steps = np.diff(ranks.ravel()[order])
    np.testing.assert_array_equal(steps, np.diff(amounts[order]) > 0)


def test_offsets_stand_at_the_tokens_of_the_context(preprocess, words):
    packed = preprocess(*_columns(_PAIRS))
    for name in ("token_starts", "token_ends"):
        assert packed[name].dtype == tf.int32
    for question, ids, starts, ends in zip(
        packed["questions"][:, 0].numpy(),
        *(
            packed[n].numpy()
            for n in ("input_ids", "token_starts", "token_ends")
        ),
    ):
        context = _PAIRS[question][1]
        is_context = ends > 0
        data = context.encode()
        for token, start, end in zip(
            words(ids[is_context]).split(),
            starts[is_context],
            ends[is_context],
        ):
            text = data[start:end].decode().lower()
            assert token in ("[UNK]", text, f"##{text}")
        assert not np.any(starts[~is_context])
    assert packed["token_ends"][0, 4:9].numpy().tolist() == [1, 5, 6, 10, 16]


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
