from keras_bert import models
from tests import tiny


def test_the_output_of_attention_is_not_dropped():
    config = tiny.config("distilbert", dropout=0.5, attention_dropout=0.25)
    block = models.encoder(config).get_layer("block_1")
    assert block.self_attention.output_dropout.rate == 0
    assert block.self_attention.weights_dropout.rate == 0.25
    assert block.feed_forward.output_dropout.rate == 0.5
