"""An auxiliary language-model loss, against transformers and OpenAI's code."""

import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.weight_map import published_locations
from keras_bert.tasks.training.fine_tune import _compiled
from tests import tiny

pytestmark = pytest.mark.usefixtures("eager_steps")

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "hf_double_heads.npz"
_TOKENS = "_start_", "_delimiter_", "_classify_"
_TEXTS = ["word1 word2", "word3", "word4 word5 word6", "word7 word1"]
_RECIPE = {"epochs": 1, "warmup": 0.0, "learning_rate": 1e-9, "verbose": 0}


@pytest.fixture(scope="module")
def golden():
    with np.load(_GOLDEN) as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def chooser(golden, make_settings, tmp_path_factory):
    directory = tmp_path_factory.mktemp("hf")
    (directory / "config.json").write_text(str(golden["config"]))
    config = tiny.config("openai-gpt", V=40)
    model = PretrainedModel.from_config(config, make_settings("bpe"))
    model.with_tokens(_TOKENS).tokenizer_settings.write(directory)
    arrays = [
        (name.removeprefix("weights/"), x.shape, lambda x=x: x)
        for name, x in golden.items()
        if name.startswith("weights/")
    ]
    write_safetensors(directory / "model.safetensors", arrays)
    return keras_bert.MultipleChoice.from_pretrained(directory)


def inputs_of(golden):
    names = {"input_ids": "input_ids", "input_mask": "attention_mask"}
    return {k: golden[f"inputs/{name}"] for k, name in names.items()}


def test_scores_and_losses_are_those_of_two_heads(chooser, golden):
    inputs, expected = inputs_of(golden), golden["outputs/logits"]
    outputs = chooser._learner().model(inputs)
    assert {*outputs} == {"logits", "language_model"}
    for logits in chooser.model(inputs)["logits"], outputs["logits"]:
        np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-4)
    found, losses = outputs["language_model"], golden["outputs/losses"]
    np.testing.assert_allclose(found, losses, rtol=1e-5)


def test_the_sum_has_the_published_gradients(chooser, golden):
    encoded = chooser._labelled([("word1", ["word2"] * 3)] * 2, [2, 1])
    encoded.extra_targets["language_model"] = np.zeros_like
    learner, recipe = chooser._learner(), chooser._recipe()
    model, _ = _compiled(learner, encoded, recipe, 1)
    targets = {**encoded.batch(np.arange(2))[1]}
    assert targets["logits"].argmax(1).tolist() == [2, 1]
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        outputs = model(inputs_of(golden))
        loss = model.compute_loss(y=targets, y_pred=outputs)
    np.testing.assert_allclose(loss, golden["outputs/loss"], rtol=1e-5)
    gradients = tape.gradient(loss, [v.value for v in variables])
    found = {
        v.path: tf.convert_to_tensor(x).numpy()
        for v, x in zip(variables, gradients, strict=True)
    }
    config, head = chooser.pretrained.config, chooser.pretrained.task.head
    places = published_locations(config, "hugging_face", head)
    assert {place.weight for place in places} == {*found}
    for place in places:
        gradient = place.written_from(found[place.weight])
        expected = golden[f"gradients/{place.name}"]
        np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("num_parts", [1, 3])
def test_fit_adds_half_of_the_mean_loss_of_the_texts(num_parts, make_settings):
    values = {"V": 40, "P": 12, "initializer_range": 0.5, "embd_pdrop": 0.0}
    config = tiny.config("openai-gpt", **values)
    model = PretrainedModel.from_config(config, make_settings("wordpiece"))
    task = keras_bert.TextClassifier(model, ["a", "b"])
    outputs = task._learner().model(task.preprocess(_TEXTS))
    of_labels = keras.losses.categorical_crossentropy(
        np.eye(2)[[0, 1, 0, 1]], outputs["logits"], from_logits=True
    )
    of_texts = outputs["language_model"].numpy()
    assert np.ptp(of_texts) > 0.1
    recipe = {**_RECIPE, "batch_size": 4, "parallel_parts": num_parts}
    history = task.fit(_TEXTS, [0, 1, 0, 1], **recipe).history
    expected = of_labels.numpy().mean() + 0.5 * of_texts.mean()
    assert history["loss"][0] == pytest.approx(expected, 1e-5)
    names = {"loss", "logits_loss", "language_model_loss", "logits_accuracy"}
    assert {*history} == names
