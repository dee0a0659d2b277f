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


def test_fillings_are_the_most_probable_pieces(bert):
    text = "the [MASK] eats a [MASK]"
    answer = FillMask(bert)(text)
    expected = _expected(bert, text)
    assert len(answer) == 2
    for fillings, probabilities in zip(answer, expected):
        best = np.argsort(-probabilities)[:5]
        assert [filling["token"] for filling in fillings] == [
            bert.tokenizer.vocabulary.tokens[index] for index in best
        ]
        np.testing.assert_allclose(
            [filling["probability"] for filling in fillings],
            probabilities[best],
            rtol=1e-5,
        )


def _check_equal(found, expected):
    """Compare two answers for one text."""
    tokens, probabilities = (
        [
            [filling[key] for fillings in answers for filling in fillings]
            for answers in (found, expected)
        ]
        for key in ("token", "probability")
    )
    assert tokens[0] == tokens[1]
    np.testing.assert_allclose(*probabilities, rtol=1e-5)


def test_a_list_of_texts_gets_a_list_of_answers(bert):
    fill_mask = FillMask(bert)
    texts = ["the [MASK]", "a [MASK] eats a [MASK]"]
    answers = [fill_mask(text) for text in texts]
    for many in (texts, tf.constant(texts), {"text": texts}):
        for found, expected in zip(fill_mask(many), answers, strict=True):
            _check_equal(found, expected)
    for one in (tf.constant(texts[0]), {"text": texts[0]}):
        assert fill_mask(one) == answers[0]
    with pytest.raises(ValueError, match="at index 1: 'the dog'"):
        fill_mask(["the [MASK]", "the dog"])


@pytest.mark.parametrize(("top_k", "count"), [(1, 1), (3, 3), (100, 18)])
def test_so_many_fillings_are_given(bert, top_k, count):
    (fillings,) = FillMask(bert, top_k=top_k)("a [MASK].")
    probabilities = [filling["probability"] for filling in fillings]
    assert len(fillings) == len({f["token"] for f in fillings}) == count
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < probabilities[-1] and sum(probabilities) <= 1 + 1e-5
    assert (sum(probabilities) > 0.999) == (count == 18)


@pytest.mark.parametrize("text", ["", "the dog", "the [mask]", "[MASK"])
def test_a_text_without_a_mask_is_an_error(bert, text):
    with pytest.raises(ValueError, match="0 in the text, 0 within") as error:
        FillMask(bert)(text)
    assert repr(text) in str(error.value)


def test_a_mask_beyond_the_limit_is_an_error(bert):
    fill_mask = FillMask(bert, seq_length=6)
    assert len(fill_mask("the dog eats [MASK]")) == 1
    with pytest.raises(ValueError, match="within 6 .*1 in the text, 0 within"):
        fill_mask("the dog sees and eats [MASK]")
    with pytest.raises(ValueError, match="2 in the text, 1 within"):
        fill_mask("the [MASK] sees and eats [MASK]")


def test_texts_of_a_batch_have_their_own_number_of_masks(bert):
    fill_mask = FillMask(bert, top_k=2)
    texts = ["a [MASK] and a [MASK]", "the dog", "[MASK] dog"]
    outputs = fill_mask.predict_ids(fill_mask.preprocess(texts))
    assert tuple(outputs) == fill_mask.outputs
    tokens = outputs["tokens"].numpy()
    probabilities = outputs["token_probabilities"].numpy()
    assert tokens.shape == probabilities.shape == (3, 2, 2)
    assert probabilities.dtype == np.float32
    assert tokens[1].tolist() == [[b"", b""]] * 2
    assert probabilities[1].tolist() == [[0, 0]] * 2
    assert tokens[2, 1].tolist() == [b"", b""]
    assert probabilities[2, 1].tolist() == [0, 0]
    for row, count in ((0, 2), (2, 1)):
        for number, fillings in enumerate(fill_mask(texts[row])):
            assert tokens[row, number].tolist() == [
                filling["token"].encode() for filling in fillings
            ]
            np.testing.assert_allclose(
                probabilities[row, number],
                [filling["probability"] for filling in fillings],
                rtol=1e-4,
            )
        assert (probabilities[row] > 0).all(axis=1).sum() == count


@pytest.mark.parametrize("texts", [["the dog", ""], []])
def test_a_batch_without_masks_has_no_answers(bert, texts):
    fill_mask = FillMask(bert, top_k=3)
    outputs = fill_mask.predict_ids(fill_mask.preprocess(texts))
    for tensor in outputs.values():
        assert tensor.shape == (len(texts), 0, 3)


def test_a_bert_without_the_head_names_what_works(bert):
    with pytest.raises(ValueError, match="task='text_embedder'.*task='feat"):
        FillMask(bert.with_parts(["pooler"]))


def test_probabilities_are_there_at_any_position(bert):
    fill_mask = FillMask(bert)
    text = "the [MASK] eats a [MASK]"
    inputs = fill_mask.preprocess([text])
    positions = tf.constant([[2, 5, 1]])
    found = fill_mask.probabilities_at(inputs, positions).numpy()
    assert found.shape == (1, 3, len(bert.tokenizer.vocabulary))
    np.testing.assert_allclose(found.sum(axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(found[0, :2], _expected(bert, text), atol=1e-6)
