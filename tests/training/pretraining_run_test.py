import json

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.models import bert_pretrainer
from keras_bert.training.pretraining_run import PretrainingRecipe
from keras_bert.training.pretraining_run import run_pretraining

_RECIPE = PretrainingRecipe(
    learning_rate=0.01, num_train_steps=60, num_warmup_steps=5
)


def toy_batch(random_batch, seed):
    """The word to predict stands first; texts that begin high are random."""
    inputs, labels, weights = random_batch(seed, batch_size=16)
    first = np.where(np.arange(16) % 2, 5, 20)
    inputs["input_ids"][:, 0] = first
    labels["mlm_logits"] = np.tile(first[:, None], (1, 3)).astype("int32")
    labels["nsp_logits"] = (first == 20).astype("int32")
    return inputs, labels, weights


def toy_dataset(random_batch, seeds):
    batches = [toy_batch(random_batch, seed) for seed in seeds]
    arrays = tf.nest.map_structure(lambda *x: np.stack(x), *batches)
    return tf.data.Dataset.from_tensor_slices(arrays)


def read_curve(directory):
    lines = (directory / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_run_learns_a_toy_problem_and_writes_its_curve(
    tiny_config, random_batch, tmp_path
):
    model = bert_pretrainer(tiny_config)
    train_data = toy_dataset(random_batch, range(8))
    eval_data = toy_dataset(random_batch, range(100, 102))
    metrics = run_pretraining(model, _RECIPE, train_data, eval_data, tmp_path)
    curve = read_curve(tmp_path)
    assert [(line["step"], line["split"]) for line in curve] == [
        (0, "eval"),
        (25, "train"),
        (50, "train"),
        (60, "train"),
        (60, "eval"),
    ]
    names = {"mlm_loss", "mlm_accuracy", "nsp_loss", "nsp_accuracy"}
    assert {*curve[0]} == {"step", "split", *names}
    assert {*curve[1]} == {"step", "split", "loss", *names}
    assert {"step": 60, "split": "eval", **metrics} == curve[-1]
    start, end = curve[0], curve[-1]
    assert start["mlm_loss"] == pytest.approx(np.log(30), abs=0.1)
    assert start["nsp_loss"] == pytest.approx(np.log(2), abs=0.05)
    assert end["mlm_loss"] < 0.5 * start["mlm_loss"]
    assert end["nsp_accuracy"] > 0.9
    assert len(list(tmp_path.glob("events.out.tfevents.*"))) == 1


def test_run_without_held_out_data_only_trains(
    tiny_config, random_batch, tmp_path
):
    model = bert_pretrainer(tiny_config)
    before = model.get_weights()
    recipe = PretrainingRecipe(num_train_steps=2, num_warmup_steps=1)
    train_data = toy_dataset(random_batch, [0])  # repeated: one batch for two
    assert run_pretraining(model, recipe, train_data, None, tmp_path) == {}
    (line,) = read_curve(tmp_path)
    assert (line["step"], line["split"]) == (2, "train")
    assert not np.array_equal(before[0], model.get_weights()[0])


def test_a_loss_that_is_not_finite_stops_the_run(
    tiny_config, random_batch, tmp_path
):
    model = bert_pretrainer(tiny_config)
    bias = model.get_layer("pooler").bias
    bias.assign(np.full(bias.shape, np.nan))
    recipe = PretrainingRecipe(
        learning_rate=1e-3, num_train_steps=50, num_warmup_steps=0
    )
    train_data = toy_dataset(random_batch, [0])
    with pytest.raises(
        FloatingPointError, match="nan by step 25, at learning rate 0.0005"
    ):
        run_pretraining(model, recipe, train_data, None, tmp_path)
    assert read_curve(tmp_path) == []


@pytest.mark.parametrize(
    ("values", "received"),
    [
        ((1e-4, 10, 20), "num_warmup_steps=20"),
        ((1e-4, 0, 0), "num_train_steps=0"),
        ((0.0, 10, 0), "learning_rate=0.0"),
        ((float("nan"), 10, 0), "learning_rate=nan"),
    ],
)
def test_an_impossible_recipe_is_an_error_before_any_work(values, received):
    with pytest.raises(ValueError, match=received):
        PretrainingRecipe(*values)
