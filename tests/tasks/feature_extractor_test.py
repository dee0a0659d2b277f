import numpy as np

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


def test_a_mask_in_a_text_is_plain_text(bert):
    inputs = FeatureExtractor(bert).preprocess(["the [MASK]"])
    assert bert.tokenizer.vocabulary.id_of("[MASK]") == 4
    assert 4 not in inputs["input_ids"].numpy()
