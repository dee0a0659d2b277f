import numpy as np
import tensorflow as tf

from keras_bert.tasks.answers.given_questions import asked_questions
from keras_bert.tasks.answers.question_rows import question_rows

_PAIRS = [
    ("who eats", "A dogs – Café."),
    ("who eats meat", "the dogs eat the cat. the bird sees a fish"),
    ("", "the dogs eat the cat. the bird sees a fish"),
    ("", ""),
    ("eats", "\u0301 \x00 \u200b"),
]


def _columns(pairs):
    return [tf.constant(column) for column in zip(*pairs)]


def test_it_packs_the_first_window(preprocess):
    packed = preprocess(*_columns(_PAIRS))
    asked = question_rows(preprocess, preprocess.sizes, asked_questions(_PAIRS))
    first = [rows.start for rows in asked.slices()]
    expected = asked.rows.inputs(first)
    for name, values in expected.items():
        assert packed[name].shape == (5, 10)
        width = values.shape[1]
        np.testing.assert_array_equal(packed[name][:, :width], values)
        assert not np.any(packed[name][:, width:])


def test_offsets_stand_at_the_tokens_of_the_context(preprocess, words):
    packed = preprocess(*_columns(_PAIRS))
    for name in ("token_starts", "token_ends"):
        assert packed[name].dtype == tf.int32
    for (_, context), ids, starts, ends in zip(
        _PAIRS,
        *(
            packed[n].numpy()
            for n in ("input_ids", "token_starts", "token_ends")
        ),
    ):
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
    is_context = packed["token_ends"].numpy() > 0
    assert [np.flatnonzero(row).tolist() for row in is_context] == [
        [4, 5, 6, 7, 8],
        [4, 5, 6, 7, 8],
        [2, 3, 4, 5, 6, 7, 8],
        [],
        [],
    ]
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
        assert values.shape == (0, 10)
