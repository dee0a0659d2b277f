import numpy as np
import pytest
import tensorflow as tf

from keras_bert import save_pretrained
from keras_bert.tasks import FeatureExtractor

_TEXTS = ["the dog eats meat", "", "a cat, a bird."]


def _arrays(outputs):
    return {name: value.numpy() for name, value in outputs.items()}


def test_outputs_are_those_of_the_encoder(bert):
    encode = FeatureExtractor(bert)
    outputs = encode.predict_ids(encode.preprocess(_TEXTS))
    assert tuple(outputs) == encode.outputs
    words = [
        bert.tokenizer.vocabulary.id_of(word) for word in _TEXTS[0].split()
    ]
    ids = np.array([[2, *words, 3]])
    expected = bert.encoder(
        {
            "input_ids": ids,
            "input_mask": np.ones_like(ids),
            "segment_ids": np.zeros_like(ids),
        }
    )
    arrays = _arrays(outputs)
    assert arrays["sequence_output"].shape == (3, 12, 16)
    assert arrays["pooled_output"].shape == (3, 16)
    np.testing.assert_allclose(
        arrays["sequence_output"][:1, :6],
        expected["sequence_output"],
        atol=1e-5,
    )
    np.testing.assert_allclose(
        arrays["pooled_output"][:1], expected["pooled_output"], atol=1e-5
    )


def test_the_length_changes_nothing_but_the_padding(bert):
    long, short = FeatureExtractor(bert), FeatureExtractor(bert, seq_length=8)
    expected = _arrays(long.predict_ids(long.preprocess(_TEXTS)))
    outputs = _arrays(short.predict_ids(short.preprocess(_TEXTS)))
    assert outputs["sequence_output"].shape == (3, 8, 16)
    np.testing.assert_allclose(
        outputs["pooled_output"], expected["pooled_output"], atol=1e-5
    )


def test_texts_are_encoded_inside_tf_data(bert):
    encode = FeatureExtractor(bert)
    expected = encode.predict_ids(encode.preprocess(_TEXTS))
    dataset = tf.data.Dataset.from_tensor_slices(_TEXTS).batch(3)
    mapped = next(iter(dataset.map(encode.preprocess).map(encode.predict_ids)))
    for name, array in _arrays(mapped).items():
        np.testing.assert_allclose(array, expected[name], atol=1e-5)


def test_a_mask_in_a_text_is_plain_text(bert):
    inputs = FeatureExtractor(bert).preprocess(["the [MASK]"])
    assert bert.tokenizer.vocabulary.id_of("[MASK]") == 4
    assert 4 not in inputs["input_ids"].numpy()


def test_a_limit_beyond_the_model_is_an_error(bert):
    with pytest.raises(ValueError, match="13"):
        FeatureExtractor(bert, seq_length=13)


@pytest.mark.parametrize("seq_length", [0, -1])
def test_no_length_at_all_is_an_error(bert, seq_length):
    with pytest.raises(ValueError, match=f"from 1 .*seq_length={seq_length}"):
        bert.sequence_length(seq_length)


def test_a_checkpoint_gives_the_same_vectors(bert, tmp_path):
    save_pretrained(bert, tmp_path / "bert")
    encode = FeatureExtractor(bert, seq_length=7)
    again = FeatureExtractor.from_pretrained(tmp_path / "bert", seq_length=7)
    expected = encode.predict_ids(encode.preprocess(_TEXTS))
    outputs = _arrays(again.predict_ids(again.preprocess(_TEXTS)))
    for name, array in outputs.items():
        np.testing.assert_array_equal(array, expected[name])
