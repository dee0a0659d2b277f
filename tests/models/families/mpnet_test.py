import keras
import numpy as np
import pytest

from keras_bert.layers import RelativeBias
from keras_bert.layers import SelfAttention
from keras_bert.text import BertTokenizer

_RANDOM = np.random.default_rng(0)


def test_a_bias_is_added_to_scores():
    inputs = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")
    bias = keras.ops.convert_to_tensor(
        _RANDOM.normal(size=(1, 2, 5, 5)).astype("float32")
    )
    attention = SelfAttention(8, 2, dropout=0.0)
    whole = np.asarray(attention(inputs, mask, context={"score_bias": bias}))
    plain = attention.attention_weights(inputs, mask)
    found = attention.attention_weights(inputs, mask, {"score_bias": bias})
    expected = np.asarray(plain) * np.exp(bias)
    expected /= expected.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    positions = np.array([[0, 3], [2, 1]], "int32")
    some = attention(inputs, mask, positions, {"score_bias": bias})
    at = positions[..., np.newaxis]
    expected = np.take_along_axis(whole, at, axis=1)
    np.testing.assert_allclose(some, expected, atol=1e-5)


def test_bias_layer_gives_a_number_for_each_distance():
    layer = RelativeBias(2, 8, 16)
    biases = np.asarray(layer(np.zeros((3, 40), "int32")))
    assert biases.shape == (1, 2, 40, 40)
    table = np.asarray(layer.relative_embeddings)
    rows = {0: 0, -1: 1, -2: 2, -16: 3, -39: 3, 1: 5, 2: 6, 16: 7, 39: 7}
    for distance, row in rows.items():
        for head in range(2):
            found = np.diagonal(biases[0, head], distance)
            np.testing.assert_array_equal(found, table[row, head])
    again = RelativeBias.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    symbolic = layer(keras.Input((None,), dtype="int32"))
    assert symbolic.shape == (1, 2, None, None)
    with pytest.raises(ValueError, match="multiple of 4.*num_buckets=6"):
        RelativeBias(2, 6)


def test_special_tokens_of_its_vocabulary_are_found(make_settings_of):
    tokenizer = BertTokenizer(make_settings_of("mpnet").vocabulary)
    assert tokenizer.vocabulary.id_of("<mask>") == 40
    text = "word1<mask> WORD2 </s><s>word3 \u0705"
    plain = tokenizer([text]).to_list()[0]
    assert not {0, 2, 40} & {*plain}
    finding = tokenizer.with_special_tokens()
    ids, starts, ends = (
        x.to_list()[0] for x in finding.tokenize_with_offsets([text])
    )
    assert finding([text]).to_list() == [ids]
    data = text.encode()
    spans = [data[start:end].decode() for start, end in zip(starts, ends)]
    assert spans == [
        *("word1", "<mask>", "WORD2", "</s>", "<s>", "word3", "\u0705"),
    ]
    assert [finding.vocabulary.tokens[x] for x in ids] == [
        *("word1", "<mask>", "word2", "</s>", "<s>", "word3", "[UNK]"),
    ]
