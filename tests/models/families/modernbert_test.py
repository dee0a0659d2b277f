import numpy as np

from keras_bert import models
from keras_bert.layers import Rotary
from keras_bert.layers import Window
from keras_bert.models.families.modernbert.model import FAMILY
from tests import tiny


def test_every_third_block_sees_all_tokens():
    blocks = FAMILY.backbone(tiny.config("modernbert")).blocks
    attentions = [block.self_attention for block in blocks]
    assert all(type(x.rotary) is Rotary for x in attentions)
    thetas = [x.rotary.theta for x in attentions]
    assert thetas == [160000.0, 10000.0, 10000.0, 160000.0]
    assert [x.pattern is None for x in attentions] == [True, False, False, True]
    assert all(type(x.pattern) is Window for x in attentions[1:3])
    assert attentions[1].pattern.reach == 2
    assert [x.attention_layer_norm is None for x in blocks] == [
        *(True, False, False, False)
    ]


def test_matrices_that_add_to_the_states_start_narrower():
    model = models.pretrainer(tiny.config("modernbert", H=64, I=64))
    stddevs = {w.path: np.std(w) for w in model.weights if w.name == "kernel"}
    # Truncation at two deviations scales the deviation by 0.88.
    wide = 0.88 * 0.02
    for path, stddev in stddevs.items():
        is_narrow = "output" in path or "transform" in path
        expected = wide / 8**0.5 if is_narrow else wide
        np.testing.assert_allclose(stddev, expected, rtol=0.1, err_msg=path)
