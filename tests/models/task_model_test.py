import numpy as np
import pytest

from keras_bert.layers import TaskHead
from keras_bert.models import add_task_head
from keras_bert.models import over_choices
from keras_bert.models.families.bert.model import bert_backbone
from tests import tiny

_SHAPE = (2, 3, 7)


def _models(config):
    head = TaskHead(1, dropout=0.0, name="choice_scorer")
    rows = add_task_head(bert_backbone(config), head, "pooled_output", "rows")
    tiny.widened(rows)
    return rows, over_choices(rows, "choices")


def _inputs():
    random = np.random.default_rng(1)
    mask = np.arange(7) < random.integers(2, 8, (2, 3, 1))
    return {
        "input_ids": (random.integers(1, 30, _SHAPE) * mask).astype("int32"),
        "input_mask": mask.astype("int32"),
        "segment_ids": (random.integers(0, 2, _SHAPE) * mask).astype("int32"),
    }


def test_each_choice_has_the_score_of_its_row(tiny_config):
    rows, choices = _models(tiny_config)
    inputs = _inputs()
    logits = np.asarray(choices(inputs)["logits"])
    assert logits.shape == (2, 3)
    for question in range(2):
        expected = rows({k: x[question] for k, x in inputs.items()})["logits"]
        np.testing.assert_allclose(
            logits[question], np.asarray(expected)[:, 0], atol=1e-5
        )


def test_the_model_is_saved_and_loaded_whole(tiny_config, tmp_path):
    _, choices = _models(tiny_config)
    tiny.check_keras_file(choices, _inputs(), tmp_path)


def _last(states, mask):
    return np.stack([x[np.flatnonzero(m)[-1]] for x, m in zip(states, mask)])


def _mean(states, mask):
    return np.stack([x[m == 1].mean(axis=0) for x, m in zip(states, mask)])


@pytest.mark.parametrize(
    "reads, expected",
    [
        ("first_token", lambda states, _: states[:, 0]),
        ("last_token", _last),
        ("mean", _mean),
        ("sequence_output", lambda states, _: states),
    ],
)
def test_a_head_scores_what_it_reads(tiny_config, reads, expected):
    backbone = bert_backbone(tiny_config)
    head = TaskHead(3, dropout=0.0, name="head")
    model = add_task_head(backbone, head, reads, "model")
    inputs = {name: x[0] for name, x in _inputs().items()}
    inputs["input_mask"][1] = [0, 0, 1, 1, 1, 0, 0]  # Padded on both sides.
    states = np.asarray(backbone.encoder("e")(inputs)["sequence_output"])
    vectors = expected(states, inputs["input_mask"])
    np.testing.assert_allclose(
        model(inputs)["logits"], head(vectors), atol=1e-5
    )
