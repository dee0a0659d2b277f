from keras_bert import models
from tests import tiny


def test_dropouts_go_where_they_are_published():
    rates = {"resid_pdrop": 0.5, "embd_pdrop": 0.25, "attn_pdrop": 0.125}
    model = models.encoder(tiny.config("openai-gpt", **rates))
    block = model.get_layer("block_1")
    assert model.get_layer("embeddings").output_dropout.rate == 0.25
    assert block.self_attention.weights_dropout.rate == 0.125
    assert block.self_attention.output_dropout.rate == 0.5
    assert block.feed_forward.output_dropout.rate == 0.5
