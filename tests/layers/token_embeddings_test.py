import numpy as np
import pytest

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import TokenEmbeddings

_IDS = np.array([[2, 7, 29, 3, 0], [2, 9, 3, 0, 0]], "int32")
_ARGUMENTS = {"vocab_size": 30, "hidden_size": 8, "max_position_embeddings": 16}


def test_it_is_bert_without_segments():
    embeddings = TokenEmbeddings(**_ARGUMENTS)
    with_segments = BertEmbeddings(**_ARGUMENTS)
    outputs = embeddings(_IDS)
    with_segments.build(_IDS.shape)
    words, positions, *layer_norm = embeddings.get_weights()
    with_segments.set_weights([words, positions, np.zeros((2, 8)), *layer_norm])
    np.testing.assert_allclose(
        outputs, with_segments(_IDS, _IDS % 2), atol=1e-6
    )


@pytest.mark.parametrize("length", [0, 17])
def test_no_tokens_and_too_many_are_errors(length):
    ids = np.zeros((1, length), "int32")
    with pytest.raises(
        ValueError,
        match=rf"1 to 16 tokens long.* is 16. Received: shape \(1, {length}",
    ):
        TokenEmbeddings(**_ARGUMENTS)(ids)
