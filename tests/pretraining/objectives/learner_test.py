import keras

from keras_bert.models import bert_pretrainer
from keras_bert.pretraining.objectives.learner import Learner
from keras_bert.pretraining.objectives.learner import pretrainer_learner
from tests import tiny


def test_a_pretrainer_learns_with_all_its_weights_and_names(tiny_config):
    bert = tiny.pretrained(tiny_config)
    learner = pretrainer_learner(bert)
    assert learner.model is bert.pretrainer and learner.kept == {"": bert}
    paths = [weight.path for weight in bert.pretrainer.weights]
    assert learner.weight_names == paths
    assert learner.targets({}) == {}


def test_weights_of_another_model_have_no_name(tiny_config):
    bert = tiny.pretrained(tiny_config)
    other = keras.layers.Dense(2)
    outputs = bert.pretrainer.output
    model = keras.Model(
        bert.pretrainer.input, {"logits": other(outputs["nsp_logits"])}
    )
    names = Learner(model, {"": bert}).weight_names
    assert names[-2:] == [None, None] and None not in names[:-2]


def test_a_model_without_a_checkpoint_has_its_own_names(tiny_config):
    model = bert_pretrainer(tiny_config)
    assert Learner(model).weight_names == [x.path for x in model.weights]
