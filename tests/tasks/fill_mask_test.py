import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks import FillMask


def _expected(bert, text, seq_length=12):
    """Return the softmax over the vocabulary at each mask, one by one."""
    vocabulary = bert.tokenizer.vocabulary
    words = [vocabulary.id_of(word) for word in text.split()]
    ids = [2, *words, 3]
    row = np.array([ids + [0] * (seq_length - len(ids))])
    positions = np.nonzero(row[0] == vocabulary.id_of("[MASK]"))[0]
    logits = bert.pretrainer(
        {
            "input_ids": row,
            "input_mask": (row > 0).astype("int32"),
            "segment_ids": np.zeros_like(row),
            "masked_lm_positions": positions[np.newaxis],
        }
    )["mlm_logits"]
    return keras.ops.convert_to_numpy(keras.ops.softmax(logits))[0]


@pytest.mark.parametrize("top_k", [5, 100])
def test_fillings_are_the_most_probable_pieces(bert, top_k):
    text = "the [MASK] eats a [MASK]"
    answer = FillMask(bert, top_k=top_k)(text)
    expected = _expected(bert, text)
    tokens = bert.tokenizer.vocabulary.tokens
    for fillings, probabilities in zip(answer, expected, strict=True):
        best = np.argsort(-probabilities)[:top_k]
        assert [x["token"] for x in fillings] == [tokens[n] for n in best]
        found = [x["probability"] for x in fillings]
        np.testing.assert_allclose(found, probabilities[best], rtol=1e-5)


def test_a_list_of_texts_gets_a_list_of_answers(bert):
    fill_mask = FillMask(bert)
    texts = ["the [MASK]", "a [MASK] eats a [MASK]"]
    answers = [pytest.approx(_flat(fill_mask(x)), rel=1e-5) for x in texts]
    for many in (texts, tf.constant(texts), {"text": texts}):
        assert [*map(_flat, fill_mask(many))] == answers
    for one in (tf.constant(texts[0]), {"text": texts[0]}):
        assert _flat(fill_mask(one)) == answers[0]


def _flat(answers):
    return {
        (number, filling["token"]): filling["probability"]
        for number, fillings in enumerate(answers)
        for filling in fillings
    }


def test_texts_of_a_batch_have_their_own_number_of_masks(bert):
    fill_mask = FillMask(bert, top_k=2)
    texts = ["a [MASK] and a [MASK]", "the dog", "[MASK] dog"]
    outputs = fill_mask.predict_ids(fill_mask.preprocess(texts))
    assert tuple(outputs) == fill_mask.output_names
    tokens = outputs["tokens"].numpy()
    probabilities = outputs["token_probabilities"].numpy()
    assert tokens.shape == probabilities.shape == (3, 2, 2)
    assert probabilities.dtype == np.float32
    assert tokens[1].tolist() == [[b"", b""]] * 2
    assert probabilities[1].tolist() == [[0, 0]] * 2
    assert tokens[2, 1].tolist() == [b"", b""]
    assert probabilities[2, 1].tolist() == [0, 0]
    for row in (0, 2):
        for number, fillings in enumerate(fill_mask(texts[row])):
            found = [x["token"].encode() for x in fillings]
            assert tokens[row, number].tolist() == found
            found = [x["probability"] for x in fillings]
            assert probabilities[row, number] == pytest.approx(found, 1e-4)


@pytest.mark.parametrize("texts", [["the dog", ""], []])
def test_a_batch_without_masks_has_no_answers(bert, texts):
    fill_mask = FillMask(bert, top_k=3)
    outputs = fill_mask.predict_ids(fill_mask.preprocess(texts))
    for tensor in outputs.values():
        assert tensor.shape == (len(texts), 0, 3)


def test_probabilities_are_there_at_any_position(bert):
    fill_mask = FillMask(bert)
    text = "the [MASK] eats a [MASK]"
    inputs = fill_mask.preprocess([text])
    positions = tf.constant([[2, 5, 1]])
    found = fill_mask.probabilities_at(inputs, positions).numpy()
    assert found.shape == (1, 3, len(bert.tokenizer.vocabulary))
    np.testing.assert_allclose(found.sum(axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(found[0, :2], _expected(bert, text), atol=1e-6)
