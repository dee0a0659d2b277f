import dataclasses

import keras

from keras_bert.pretraining.objectives.learner import pretrainer_learner
from tests import tiny


def test_weights_have_the_names_of_the_checkpoint(tiny_config):
    bert = tiny.pretrained(tiny_config)
    learner = pretrainer_learner(bert)
    assert learner.model is bert.pretrainer and learner.kept == {"": bert}
    paths = [weight.path for weight in bert.pretrainer.weights]
    assert learner.weight_names == paths
    # Weights of another model have no name.
    outputs = keras.layers.Dense(2)(bert.pretrainer.output["nsp_logits"])
    model = keras.Model(bert.pretrainer.input, {"logits": outputs})
    names = dataclasses.replace(learner, model=model).weight_names
    assert names[-2:] == [None, None] and None not in names[:-2]
