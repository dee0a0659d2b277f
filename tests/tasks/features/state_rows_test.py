import numpy as np

from keras_bert.tasks.features.stored_states import with_states
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.ragged_rows import RaggedRows


def test_examples_have_the_states_of_each_token_and_their_targets():
    values = {"input_ids": np.arange(6, dtype="int32")}
    rows = RaggedRows(values, np.array([3, 1, 2]), {"input_ids": 0})
    targets, weights = np.array([1, 2, 0, 2, 1, 0]), np.ones(6, "float32")
    examples = Encoded(rows, targets=targets, weights=weights, num_labels=3)
    states = np.arange(6 * 2 * 4).reshape(6, 2, 4).astype("float16")
    before = examples.batch([2, 0])
    inputs, *after = with_states(examples, states).batch([2, 0])
    assert {*inputs} == {"states", "input_mask"}
    assert inputs["input_mask"].tolist() == [[1, 1, 0], [1, 1, 1]]
    np.testing.assert_array_equal(inputs["states"][0, :2], states[4:])
    np.testing.assert_array_equal(inputs["states"][0, 2], 0)
    np.testing.assert_array_equal(inputs["states"][1], states[:3])
    for one, two in zip(before[1:], after):
        np.testing.assert_array_equal(one["logits"], two["logits"])
