import keras
import numpy as np

from keras_bert.models import bert_pretrainer
from tests import tiny


def test_mixed_precision_gives_nearly_the_same_outputs(
    tiny_config, random_batch
):
    inputs = random_batch(0)[0]
    model = bert_pretrainer(tiny_config)
    tiny.widened(model, stddev=0.2)
    keras.config.set_dtype_policy("mixed_bfloat16")
    mixed = bert_pretrainer(tiny_config)
    mixed.set_weights(model.get_weights())
    outputs = mixed.predict_on_batch(inputs)
    for name, expected in model.predict_on_batch(inputs).items():
        assert outputs[name].dtype == mixed.output[name].dtype == "float32"
        np.testing.assert_allclose(outputs[name], expected, atol=0.1)
        assert not np.array_equal(outputs[name], expected)
