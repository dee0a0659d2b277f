import numpy as np

from keras_bert.tasks import FeatureExtractor

_TEXTS = ["the dog eats meat", "", "a cat, a bird."]


def test_outputs_are_those_of_the_encoder(bert):
    encode = FeatureExtractor(bert)
    inputs = encode.preprocess(_TEXTS)
    outputs = encode.predict_ids(inputs)
    assert tuple(outputs) == encode.output_names
    expected = bert.encoder({name: x[:1, :6] for name, x in inputs.items()})
    assert outputs["sequence_output"].shape == (3, 12, 16)
    states = outputs["sequence_output"][:1, :6]
    np.testing.assert_allclose(states, expected["sequence_output"], atol=1e-5)
    pooled = outputs["pooled_output"][:1]
    np.testing.assert_allclose(pooled, expected["pooled_output"], atol=1e-5)


def test_a_mask_in_a_text_is_plain_text(bert):
    inputs = FeatureExtractor(bert).preprocess(["the [MASK]"])
    assert bert.tokenizer.vocabulary.id_of("[MASK]") == 4
    assert 4 not in inputs["input_ids"].numpy()
