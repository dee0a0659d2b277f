import numpy as np

from keras_bert.pretraining.records.text_rows import best_fit
from keras_bert.pretraining.records.text_rows import join_texts


def test_each_text_goes_where_least_room_is_left():
    lengths = np.array([6, 8, 3, 2, 10, 4, 1, 1])
    # 3 only fits with 6, 2 with 8; 4 starts a row, 1 fills the first row.
    assert best_fit(lengths, 10).tolist() == [0, 1, 0, 1, 2, 3, 0, 3]
    assert best_fit(lengths[:0], 10).shape == (0,)


def test_no_row_is_longer_than_its_size_and_most_are_full():
    random = np.random.default_rng(0)
    lengths = np.minimum(random.geometric(0.05, 5000) + 2, 128)
    rows = best_fit(lengths, 128)
    filled = np.bincount(rows, lengths)
    assert filled.max() <= 128 and filled.min() > 0
    assert lengths.sum() / (128 * len(filled)) > 0.99


def test_texts_stand_one_after_the_other():
    examples = {
        "input_ids": np.array([[1, 5, 2, 0], [1, 2, 0, 0], [1, 6, 7, 2]]),
        "segment_boundary": np.array([[3], [2], [4]]),
        "word_starts": np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0]]),
        "next_sentence_labels": np.zeros((3, 1), int),
    }
    for name in ("input_ids", "word_starts"):
        examples[name] = np.pad(examples[name], [(0, 0), (0, 2)])
    joined, num_tokens = join_texts(
        examples, np.array([3, 2, 4]), np.array([2, 1])
    )
    assert num_tokens.tolist() == [5, 4]
    assert joined["input_ids"][0, :5].tolist() == [1, 5, 2, 1, 2]
    assert joined["input_ids"][1, :4].tolist() == [1, 6, 7, 2]
    assert joined["word_starts"][0, :5].tolist() == [0, 1, 0, 0, 0]
    assert joined["segment_boundary"].tolist() == [[5], [4]]
    assert joined["next_sentence_labels"].shape == (2, 1)
