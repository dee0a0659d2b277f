import numpy as np

from keras_bert import models
from keras_bert.models.families.roberta.model import FAMILY
from tests import tiny


def test_the_head_has_the_erf_form_whatever_the_blocks_have():
    model = models.pretrainer(tiny.config("roberta", hidden_act="relu"))
    block = model.get_layer("block_1")
    assert model.get_layer("masked_lm_head").activation.__name__ == "gelu_erf"
    assert block.feed_forward.activation.__name__ == "relu"


def test_the_classifier_drops_before_and_behind_its_dense_layer():
    config = tiny.config("roberta", hidden_dropout_prob=0.25)
    head = FAMILY.task_heads["classifier"].layer(config, 3, "classifier")
    assert head.transform.dropout == head.dropout == 0.25
    assert head(np.ones((2, 8), "float32")).shape == (2, 3)
