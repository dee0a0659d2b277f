import numpy as np

from keras_bert.layers import LayerNorm
from keras_bert.layers import TokenEmbeddings
from keras_bert.layers import WordEmbeddings

_IDS = np.array([[2, 7, 29, 3, 0], [2, 9, 3, 0, 0]], "int32")


def arguments(layer_norm=LayerNorm):
    return {
        "vocab_size": 30,
        "hidden_size": 8,
        "layer_norm": layer_norm(1e-5, name="layer_norm"),
        "dropout": 0.0,
    }


def test_they_are_token_embeddings_without_positions():
    embeddings = WordEmbeddings(**arguments())
    others = TokenEmbeddings(30, 8, 16, layer_norm_epsilon=1e-5)
    outputs = embeddings(_IDS)
    others.build(_IDS.shape)
    words, *layer_norm = embeddings.get_weights()
    others.set_weights([words, np.zeros((16, 8)), *layer_norm])
    np.testing.assert_allclose(outputs, others(_IDS), atol=1e-6)
