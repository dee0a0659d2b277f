import keras
import numpy as np
import pytest

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import BigBirdEmbeddings
from keras_bert.layers import FactorizedEmbeddings
from keras_bert.layers import RobertaEmbeddings

_IDS = np.array([[2, 7, 29, 3, 0], [2, 9, 3, 0, 0]], "int32")
_SEGMENTS = np.array([[0, 0, 1, 1, 0], [0, 0, 0, 0, 0]], "int32")
_ARGUMENTS = {"vocab_size": 30, "hidden_size": 8, "max_position_embeddings": 16}


def call(embeddings, **arguments):
    output = embeddings(_IDS, _SEGMENTS, **arguments)
    return keras.ops.convert_to_numpy(keras.ops.cast(output, "float32"))


def test_weights_start_at_the_deviation_of_the_initializer():
    embeddings = BertEmbeddings(1000, 64)
    embeddings.build((None, None))
    for table in embeddings.get_weights()[:2]:
        # Truncation at two deviations reduces it by 12 %.
        assert 0.017 < table.std() < 0.018
        assert np.abs(table).max() <= 0.04


def test_the_sum_is_computed_in_float32():
    """In bfloat16 256 + 1 would be 256."""
    embeddings = BertEmbeddings(**_ARGUMENTS, dtype="mixed_bfloat16")
    embeddings.build((None, None))
    words = np.zeros((30, 8))
    words[:, :4] = 256.0
    positions = np.zeros((16, 8))
    positions[:, ::2] = 1.0
    embeddings.set_weights(
        [words, positions, np.zeros((2, 8)), np.ones(8) * 64, np.zeros(8)]
    )
    first, second = call(embeddings)[0, 0, :2]
    assert first > second


def test_bigbird_normalizes_after_the_dropout():
    embeddings = BigBirdEmbeddings(**_ARGUMENTS, dropout=0.5)
    whole, dropped = call(embeddings), call(embeddings, training=True)
    assert np.abs(dropped - whole).max() > 0.1
    np.testing.assert_allclose(dropped.mean(axis=-1), 0.0, atol=1e-6)
    np.testing.assert_allclose(dropped.std(axis=-1), 1.0, atol=1e-3)


def _factorized():
    return FactorizedEmbeddings(BertEmbeddings(**_ARGUMENTS), None)


def _roberta():
    return RobertaEmbeddings(**_ARGUMENTS)


@pytest.mark.parametrize(
    "make, inputs", [(_factorized, (_IDS, _SEGMENTS)), (_roberta, (_IDS,))]
)
def test_summands_add_up_to_what_is_normalized(make, inputs):
    layer = make()
    outputs = layer(*inputs)
    summands = layer.summands(*inputs)
    assert [*summands][:2] == ["word", "position"]
    summed = sum(map(np.asarray, summands.values()))
    normalize = getattr(layer, "tables", layer).layer_norm
    np.testing.assert_allclose(normalize(summed), outputs, atol=1e-6)
