import keras
import numpy as np

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import FactorizedEmbeddings
from keras_bert.layers import MaskedLMHead

_IDS = np.array([[2, 7, 29, 3, 0], [2, 9, 3, 0, 0]], "int32")
_SEGMENTS = np.array([[0, 0, 1, 1, 0], [0, 1, 1, 0, 0]], "int32")


def tables(**arguments):
    return BertEmbeddings(30, 4, 16, dropout=0.0, name="tables", **arguments)


def test_it_is_a_product_of_what_the_tables_give():
    layer = FactorizedEmbeddings(tables(), 8, "glorot_normal")
    outputs = layer(_IDS, _SEGMENTS)
    layer.projection.bias.assign(np.arange(8))
    narrow = np.asarray(layer.tables(_IDS, _SEGMENTS))
    expected = narrow @ np.asarray(layer.projection.kernel)
    np.testing.assert_allclose(outputs, expected, atol=1e-6)
    np.testing.assert_allclose(
        layer(_IDS, _SEGMENTS), expected + np.arange(8), atol=1e-6
    )
    assert [weight.path.partition("/")[2] for weight in layer.weights] == [
        "tables/word_embeddings",
        "tables/position_embeddings",
        "tables/segment_embeddings",
        "tables/layer_norm/gamma",
        "tables/layer_norm/beta",
        "projection/kernel",
        "projection/bias",
    ]


def test_a_head_ties_itself_to_the_tables(tmp_path):
    layer = FactorizedEmbeddings(tables(), 8, name="embeddings")
    inputs = [keras.Input((None,), dtype="int32") for _ in range(2)]
    head = MaskedLMHead(layer)
    model = keras.Model(inputs, head(layer(*inputs)))
    assert head.transform.kernel.shape == (8, 4)
    assert head.layer_norm.gamma.shape == (4,)
    model.save(tmp_path / "model.keras")
    reloaded = keras.saving.load_model(tmp_path / "model.keras")
    again = reloaded.get_layer("embeddings")
    assert reloaded.layers[-1].embeddings is again
    np.testing.assert_array_equal(
        reloaded([_IDS, _SEGMENTS]), model([_IDS, _SEGMENTS])
    )


def test_two_layers_share_their_tables():
    shared = tables()
    narrow = FactorizedEmbeddings(shared, None, name="narrow")
    wide = FactorizedEmbeddings(shared, 8, name="wide")
    narrow(_IDS, _SEGMENTS), wide(_IDS, _SEGMENTS)
    assert [*map(id, wide.weights[:5])] == [*map(id, narrow.weights)]
    assert len(wide.weights) == 7


def test_summands_are_those_of_the_tables():
    layer = FactorizedEmbeddings(tables(), 8)
    layer(_IDS, _SEGMENTS)
    found = layer.summands(_IDS, _SEGMENTS)
    expected = layer.tables.summands(_IDS, _SEGMENTS)
    assert [*found] == ["word", "position", "segment"]
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)
