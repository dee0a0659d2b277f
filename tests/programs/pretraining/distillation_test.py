"""A student of a teacher, as a run that is killed and gone on with."""

import json

import numpy as np
import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.models.distilbert import DistilBertConfig
from keras_bert.programs.pretraining import plan_pretraining
from keras_bert.programs.pretraining import run_plan
from keras_bert.text import BertTokenizer


@pytest.fixture
def teacher(folder):
    """The directory of a BERT whose weights are large."""
    bert = PretrainedModel.from_config(
        folder.config, BertTokenizer(folder.vocabulary)
    )
    rng = np.random.default_rng(1)
    for weight in bert.weights.values():
        weight.assign(rng.normal(0, 0.3, weight.shape))
    save_pretrained(bert, folder.path / "teacher")
    return folder.path / "teacher"


@pytest.fixture
def distilled(folder, teacher):
    """A function that makes a recipe for a DistilBERT, with changes."""
    DistilBertConfig(
        len(folder.vocabulary), 8, 1, 2, 16, max_position_embeddings=16
    ).to_json(folder.path / "student.json")

    def distilled(**changes):
        values = {
            "masking": "dynamic",
            "objective": "distillation",
            "teacher_dir": str(teacher),
            "bert_config_file": folder.file("student.json"),
            "log_steps": 1,
            "save_checkpoints_steps": 2,
        }
        return folder.recipe(**{**values, **changes})

    return distilled


def train(recipe):
    run_plan(plan_pretraining(recipe))


def test_a_teacher_is_of_one_objective_and_needed_there(folder):
    with pytest.raises(ValueError, match="for objective='distillation', no "):
        folder.recipe(teacher_dir="teacher")
    with pytest.raises(ValueError, match="which needs it. .*=None"):
        folder.recipe(objective="distillation")


def test_a_run_depends_on_what_its_teacher_holds(folder, teacher, distilled):
    settings = plan_pretraining(distilled()).settings
    assert "teacher_dir" not in settings
    assert {*settings["teacher"]} > {"model.safetensors", "vocab.txt"}
    plain = plan_pretraining(folder.recipe()).settings
    assert not {"teacher", "teacher_dir"} & {*plain}


def test_an_output_in_place_of_the_teacher_is_an_error(teacher, distilled):
    with pytest.raises(ValueError, match="neither an input nor hold one"):
        plan_pretraining(distilled(output_dir=str(teacher)))


@pytest.mark.exhaustive
@pytest.mark.large
def test_a_killed_run_ends_as_a_whole_one(folder, teacher, distilled, killed):
    before = (teacher / "model.safetensors").read_bytes()
    train(distilled())

    stopped = distilled(output_dir=folder.file("stopped"))
    killed(train, stopped)
    unfinished = from_pretrained(folder.path / "stopped")
    assert unfinished.parts == {"masked_lm_head"}
    train(stopped)
    whole, stopped = (folder.path / name for name in ("run", "stopped"))
    name = "model.safetensors"
    assert (whole / name).read_bytes() == (stopped / name).read_bytes()
    assert (teacher / name).read_bytes() == before
    student = from_pretrained(whole)
    assert student.family.model_type == "distilbert"
    state = np.load(whole / "states" / "step-00000006.npz")
    about = json.loads(str(state["about"]))
    assert {*about["weights"]} <= {*student.weights}
    for point in points_of(whole, "train"):
        loss = 5 * point["teacher_loss"] + 2 * point["mlm_loss"]
        loss += point["cosine_loss"]
        assert point["loss"] == pytest.approx(loss, rel=1e-5)


@pytest.mark.large
def test_a_student_learns_what_its_teacher_says(folder, distilled):
    student = PretrainedModel.from_config(
        DistilBertConfig(len(folder.vocabulary), 8, 1, 2, 16),
        BertTokenizer(folder.vocabulary),
    )
    save_pretrained(student, folder.path / "student")
    recipe = distilled(
        init_checkpoint=folder.file("student"),
        bert_config_file=None,
        vocab_file=None,
        num_train_steps=40,
        learning_rate=1e-2,
    )
    train(recipe)
    first, *_, last = points_of(folder.path / "run", "eval")
    for name in ("teacher_loss", "cosine_loss"):
        assert last[name] < first[name]


def points_of(run, split):
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return [x for x in map(json.loads, lines) if x["split"] == split]
