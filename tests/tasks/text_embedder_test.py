import keras
import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.tasks import TextEmbedder

_TEXTS = [
    "the dog eats meat",
    "",
    "a cat, a bird.",
    "the bird",
    "cats and dogs and " * 5,
    "seeds",
]


def _tokens(bert, text, seq_length=12):
    """Return the ids of one text, without padding."""
    (words,) = bert.tokenizer([text]).to_list()
    return [2, *words[: seq_length - 2], 3]


def _encode(model, ids):
    ids = np.array([ids])
    inputs = {
        "input_ids": ids,
        "input_mask": np.ones_like(ids),
        "segment_ids": np.zeros_like(ids),
    }
    return {k: np.array(v[0], np.float32) for k, v in model(inputs).items()}


def _last_layers(bert, ids, count):
    """Return the outputs of the last layers, computed layer by layer."""
    total = bert.config.num_hidden_layers
    names = [f"block_{number}" for number in range(total - count, total)]
    outputs = {name: bert.encoder.get_layer(name).output for name in names}
    arrays = _encode(keras.Model(bert.encoder.input, outputs), ids)
    return [arrays[name] for name in names]


_POOLINGS = {
    "mean": lambda states: states.mean(axis=0),
    "cls": lambda states: states[0],
    "max": lambda states: states.max(axis=0),
}


@pytest.mark.parametrize("pooling", _POOLINGS)
def test_vectors_are_pooled_from_the_sequence_output(bert, pooling):
    embeddings = TextEmbedder(bert, pooling=pooling).embed(_TEXTS)
    assert embeddings.shape == (len(_TEXTS), 16)
    assert embeddings.dtype == np.float32
    for text, embedding in zip(_TEXTS, embeddings):
        states = _encode(bert.encoder, _tokens(bert, text))["sequence_output"]
        np.testing.assert_allclose(
            embedding, _POOLINGS[pooling](states), atol=1e-5
        )


@pytest.mark.smoke("mean-True", "cls-False", "max-False")
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("pooling", _POOLINGS)
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


def test_last4_joins_the_means_of_the_last_four_layers(make_bert):
    bert = make_bert(num_hidden_layers=12, hidden_size=4)
    embedder = TextEmbedder(bert, pooling="last4")
    embeddings = embedder.embed(_TEXTS)
    assert embeddings.shape == (len(_TEXTS), embedder.dim) == (6, 16)
    for text, embedding in zip(_TEXTS, embeddings):
        states = _last_layers(bert, _tokens(bert, text), 4)
        expected = np.concatenate([layer.mean(axis=0) for layer in states])
        np.testing.assert_allclose(embedding, expected, atol=1e-5)


def test_every_layer_of_every_token_is_given(make_bert):
    bert = make_bert(num_hidden_layers=2)
    layers = TextEmbedder(bert).layers(_TEXTS)
    assert len(layers) == len(_TEXTS)
    for text, states in zip(_TEXTS, layers):
        ids = _tokens(bert, text)
        assert states.shape == (3, len(ids), 16)
        assert states.dtype == np.float32
        for state, expected in zip(states[1:], _last_layers(bert, ids, 2)):
            np.testing.assert_allclose(state, expected, atol=1e-5)


@pytest.mark.parametrize("batch_tokens", [13, 1000])
def test_company_and_order_change_nothing(bert, batch_tokens):
    embedder = TextEmbedder(bert, batch_tokens=batch_tokens)
    alone = np.concatenate([embedder.embed([text]) for text in _TEXTS])
    together = embedder.embed(_TEXTS)
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(
        embedder.embed(_TEXTS[::-1]), together[::-1], atol=1e-5
    )


def test_long_lists_are_taken_in_parts(bert, monkeypatch):
    expected = TextEmbedder(bert).embed(_TEXTS)
    monkeypatch.setattr("keras_bert.tasks.text_embedder._TEXTS_AT_ONCE", 4)
    np.testing.assert_allclose(
        TextEmbedder(bert).embed(_TEXTS), expected, atol=1e-5
    )


def test_one_text_and_no_texts_are_taken(bert):
    embedder = TextEmbedder(bert)
    (expected,) = embedder.embed(_TEXTS[:1])
    for one in (_TEXTS[0], {"text": _TEXTS[0]}):
        np.testing.assert_allclose(embedder.embed(one), expected, atol=1e-6)
    assert embedder.layers(_TEXTS[0]).shape == (2, 6, 16)
    assert embedder.embed([]).shape == (0, 16)
    assert embedder.embed([]).dtype == np.float32
    assert embedder.layers([]) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pooling": "sum"}, "cls, max, mean, .*last4. .*'sum'"),
        ({"pooling": "last4"}, "at least 4 layers. .*num_hidden_layers=1"),
        ({"batch_tokens": 0}, "batch_tokens=0"),
        ({"seq_length": 13}, "seq_length=13"),
    ],
)
def test_wrong_arguments_are_errors(bert, arguments, message):
    with pytest.raises(ValueError, match=message):
        TextEmbedder(bert, **arguments)


def test_a_bert_without_a_pooler_will_do(bert):
    expected = TextEmbedder(bert).embed(_TEXTS)
    bare = bert.with_parts(["masked_lm_head"])
    np.testing.assert_array_equal(TextEmbedder(bare).embed(_TEXTS), expected)


def _cosines(first, second):
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return (first * second).sum(axis=1) / norms


@pytest.mark.exhaustive
@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_bfloat16_is_close(make_bert, tmp_path, pooling):
    bert = make_bert(num_hidden_layers=4, initializer_range=0.1)
    save_pretrained(bert, tmp_path)
    expected = TextEmbedder(bert, pooling=pooling).embed(_TEXTS)
    keras.config.set_dtype_policy("mixed_bfloat16")
    embedder = TextEmbedder.from_pretrained(tmp_path, pooling=pooling)
    embeddings = embedder.embed(_TEXTS)
    assert embeddings.dtype == np.float32
    assert embedder.layers(["the dog"])[0].dtype == np.float32
    assert 0.999 < _cosines(embeddings, expected).min() < 1 - 1e-7
