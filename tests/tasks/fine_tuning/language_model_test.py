"""An auxiliary language-model loss, against transformers and OpenAI's code."""

import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.weight_map import published_places
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.tasks.fine_tuning.training import _learned

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
    model = PretrainedModel.from_config(
        OpenAIGPTConfig(40, 16, 8, 2, 2), make_settings("bpe")
    )
    model.with_tokens(_TOKENS).tokenizer_settings.write(directory)
    write_safetensors(
        directory / "model.safetensors",
        [
            (name.removeprefix("weights/"), x.shape, lambda x=x: x)
            for name, x in golden.items()
            if name.startswith("weights/")
        ],
    )
    return keras_bert.MultipleChoice.from_pretrained(directory)


def inputs_of(golden):
    names = {"input_ids": "input_ids", "input_mask": "attention_mask"}
    return {k: golden[f"inputs/{name}"] for k, name in names.items()}


def test_scores_and_losses_are_those_of_two_heads(chooser, golden):
    inputs, expected = inputs_of(golden), golden["outputs/logits"]
    np.testing.assert_allclose(
        chooser.model(inputs)["logits"], expected, rtol=1e-4, atol=1e-4
    )
    outputs = chooser._learner().model(inputs)
    assert {*outputs} == {"logits", "language_model"}
    np.testing.assert_allclose(outputs["logits"], expected, atol=1e-4)
    np.testing.assert_allclose(
        outputs["language_model"], golden["outputs/losses"], rtol=1e-5
    )


def test_the_sum_has_the_published_gradients(chooser, golden):
    encoded = chooser._labelled([("word1", ["word2"] * 3)] * 2, [2, 1])
    encoded.extra_targets["language_model"] = lambda indices: np.zeros_like(
        indices
    )
    model, losses, weights, _ = _learned(
        chooser._learner(), encoded, chooser._recipe()
    )
    assert weights == {"logits": 1.0, "language_model": 0.5}
    targets = {**encoded.batch(np.arange(2))[1]}
    assert targets["logits"].argmax(1).tolist() == [2, 1]
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        outputs = model(inputs_of(golden))
        loss = sum(
            weights[name] * losses[name](targets[name], outputs[name])
            for name in outputs
        )
    np.testing.assert_allclose(loss, golden["outputs/loss"], rtol=1e-5)
    gradients = tape.gradient(loss, [v.value for v in variables])
    found = {
        v.path: tf.convert_to_tensor(x).numpy()
        for v, x in zip(variables, gradients, strict=True)
    }
    head = chooser.pretrained.task.head
    config = chooser.pretrained.config
    places = published_places(config, "hugging_face", head)
    assert {place.weight for place in places} == {*found}
    for place in places:
        np.testing.assert_allclose(
            place.written_from(found[place.weight]),
            golden[f"gradients/{place.name}"],
            rtol=1e-4,
            atol=1e-5,
            err_msg=place.name,
        )


def make_gpt(make_settings):
    config = OpenAIGPTConfig(
        *(40, 12, 16, 2, 2),
        **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
        initializer_range=0.5,
    )
    return PretrainedModel.from_config(config, make_settings("wordpiece"))


def mean_loss(task, name, **recipe):
    history = task.fit(_TEXTS, [0, 1, 0, 1], **_RECIPE, **recipe)
    expected = {"loss", "logits_loss", "language_model_loss"}
    assert {*history.history} == {*expected, "logits_accuracy"}
    return history.history[name][0]


@pytest.mark.smoke("whole")
@pytest.mark.parametrize(
    "recipe",
    [{"batch_size": 4}, {"batch_size": 4, "parallel_parts": 3}],
    ids=["whole", "parts"],
)
def test_fit_adds_half_of_the_mean_loss_of_the_texts(recipe, make_settings):
    task = keras_bert.TextClassifier(make_gpt(make_settings), ["a", "b"])
    inputs = task.preprocess(_TEXTS)
    pretrained = task.pretrained
    every = np.tile(np.arange(12, dtype="int32"), (4, 1))
    head = pretrained.family.heads(
        pretrained.config, pretrained.backbone.embeddings
    )["masked_lm_head"]
    states = pretrained.encoder(inputs)["sequence_output"]
    logits = head(states, every).numpy()[:, :-1]
    ids, mask = (inputs[x].numpy()[:, 1:] for x in [*inputs][:2])
    losses = keras.losses.sparse_categorical_crossentropy(
        ids, logits, from_logits=True
    )
    of_texts = (losses * mask).numpy().sum(1) / mask.sum(1)
    labels = np.eye(2)[[0, 1, 0, 1]]
    scores = task.model(inputs)["logits"]
    of_labels = keras.losses.categorical_crossentropy(
        labels, scores, from_logits=True
    )
    expected = of_labels.numpy().mean() + 0.5 * of_texts.mean()
    assert mean_loss(task, "loss", **recipe) == pytest.approx(expected, 1e-5)


@pytest.mark.exhaustive
def test_a_student_reads_its_texts_too(make_settings):
    models = [make_gpt(make_settings) for _ in range(2)]
    student, teacher = (
        keras_bert.TextClassifier(model, ["a", "b"]) for model in models
    )
    history = student.fit(
        *(_TEXTS, [0, 1, 0, 1]), teacher=teacher, batch_size=4, **_RECIPE
    ).history
    assert history["loss"][0] == pytest.approx(
        0.5 * history["logits_loss"][0]
        + 0.5 * history["taught_loss"][0]
        + 0.5 * history["language_model_loss"][0],
        1e-5,
    )
