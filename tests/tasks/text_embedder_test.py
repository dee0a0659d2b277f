import keras
import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.tasks import TextEmbedder

_TEXTS = ["the dog eats meat", "", "a cat, a bird.", "cats and dogs " * 5]


@pytest.mark.parametrize(
    ("pooling", "normalize"), [("mean", True), ("cls", False), ("max", False)]
)
def test_a_row_without_tokens_has_a_zero_vector(bert, pooling, normalize):
    dense = [keras.layers.Dense(4, bias_initializer="ones")]
    embedder = TextEmbedder(
        bert, pooling=pooling, dense=dense, normalize=normalize
    )
    ids = embedder.preprocess(["the dog", "a cat"])
    mask = ids["input_mask"] * [[1], [0]]
    vectors = embedder.predict_ids({**ids, "input_mask": mask})["embedding"]
    expected = embedder.predict_ids(ids)["embedding"]
    np.testing.assert_allclose(vectors[0], expected[0], atol=1e-6)
    assert np.array(vectors[1]).tolist() == [0] * 4
    assert np.linalg.norm(expected[1]) > 0.1


def test_every_layer_of_every_token_is_given(make_bert):
    bert = make_bert(num_hidden_layers=2)
    embedder = TextEmbedder(bert)
    names = ["block_0", "block_1"]
    outputs = [bert.encoder.get_layer(name).output for name in names]
    model = keras.Model(bert.encoder.input, outputs)
    found = embedder.layers(_TEXTS)
    for text, states in zip(_TEXTS, found, strict=True):
        inputs = embedder.preprocess([text])
        length = int(inputs["input_mask"].numpy().sum())
        assert states.shape == (3, length, 16)
        assert states.dtype == np.float32
        for state, expected in zip(states[1:], model(inputs), strict=True):
            np.testing.assert_allclose(state, expected[0, :length], atol=1e-5)


def test_long_lists_are_taken_in_parts(bert, monkeypatch):
    expected = TextEmbedder(bert).embed(_TEXTS)
    monkeypatch.setattr("keras_bert.tasks.embedder._TEXTS_AT_ONCE", 3)
    found = TextEmbedder(bert, batch_tokens=13).embed(_TEXTS[::-1])
    np.testing.assert_allclose(found[::-1], expected, atol=1e-5)


def test_one_text_and_no_texts_are_taken(bert):
    embedder = TextEmbedder(bert)
    (expected,) = embedder.embed(_TEXTS[:1])
    for one in (_TEXTS[0], {"text": _TEXTS[0]}):
        np.testing.assert_allclose(embedder.embed(one), expected, atol=1e-6)
    assert embedder.layers(_TEXTS[0]).shape == (2, 6, 16)
    assert embedder.embed([]).shape == (0, 16)
    assert embedder.embed([]).dtype == np.float32
    assert embedder.layers([]) == []


@pytest.mark.exhaustive
def test_bfloat16_is_close(make_bert, tmp_path):
    bert = make_bert(num_hidden_layers=4, initializer_range=0.1)
    save_pretrained(bert, tmp_path)
    expected = TextEmbedder(bert, normalize=True).embed(_TEXTS)
    keras.config.set_dtype_policy("mixed_bfloat16")
    embedder = TextEmbedder.from_pretrained(tmp_path, normalize=True)
    embeddings = embedder.embed(_TEXTS)
    assert embeddings.dtype == np.float32
    assert embedder.layers(["the dog"])[0].dtype == np.float32
    assert 0.999 < (embeddings * expected).sum(axis=1).min() < 1 - 1e-7
