import numpy as np

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import RobertaEmbeddings

_IDS = np.array(
    [[0, 7, 29, 2, 1], [1, 1, 0, 9, 2], [0, 5, 1, 8, 2]], "int32"
)  # Padded on the right, on the left and in the middle.
_POSITIONS = np.array([[2, 3, 4, 5, 1], [1, 1, 2, 3, 4], [2, 3, 1, 4, 5]])
_ARGUMENTS = {"vocab_size": 30, "hidden_size": 8, "max_position_embeddings": 9}


def test_tokens_are_counted_past_padding():
    embeddings = RobertaEmbeddings(**_ARGUMENTS)
    embeddings.build(_IDS.shape)
    random = np.random.default_rng(0)
    weights = [random.normal(size=w.shape) for w in embeddings.weights]
    embeddings.set_weights(weights)
    by_path = {w.path.partition("/")[2]: w.numpy() for w in embeddings.weights}
    summed = by_path["word_embeddings"][_IDS]
    summed = summed + by_path["position_embeddings"][_POSITIONS]
    summed = summed + by_path["segment_embeddings"][0]
    scale = np.sqrt(summed.var(-1, keepdims=True) + 1e-12)
    expected = (summed - summed.mean(-1, keepdims=True)) / scale
    expected = expected * by_path["layer_norm/gamma"]
    expected = expected + by_path["layer_norm/beta"]
    np.testing.assert_allclose(embeddings(_IDS), expected, atol=1e-5)


def test_without_padding_it_is_bert_from_a_later_row_on():
    ids = np.array([[0, 7, 29, 2]], "int32")
    embeddings = RobertaEmbeddings(**_ARGUMENTS)
    outputs = embeddings(ids)
    bert = BertEmbeddings(30, 8, max_position_embeddings=7, type_vocab_size=1)
    bert.build(ids.shape)
    for weight, ours in zip(bert.weights, embeddings.weights, strict=True):
        weight.assign(ours[-weight.shape[0] :])
    np.testing.assert_allclose(outputs, bert(ids, ids * 0), atol=1e-6)


def test_another_id_may_be_that_of_padding():
    ids = np.array([[5, 7, 0, 0]], "int32")
    embeddings = RobertaEmbeddings(**_ARGUMENTS, pad_id=0)
    assert embeddings.max_seq_length == 8
    one, other = embeddings(ids), embeddings(ids[:, :2])
    np.testing.assert_allclose(one[:, :2], other, atol=1e-6)


def test_summands_add_up_to_what_is_normalized():
    embeddings = RobertaEmbeddings(**_ARGUMENTS)
    outputs = embeddings(_IDS)
    summed = sum(map(np.asarray, embeddings.summands(_IDS).values()))
    np.testing.assert_allclose(
        embeddings.layer_norm(summed), outputs, atol=1e-6
    )
