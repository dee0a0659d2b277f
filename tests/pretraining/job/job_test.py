"""The pre-training job, in this process."""

import dataclasses

import pytest
import tensorflow as tf

from keras_bert.checkpoints import from_pretrained
from keras_bert.files.tfrecord import framed_records
from keras_bert.files.tfrecord import write_records
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.pretraining.job import plan_pretraining
from keras_bert.pretraining.job import run_plan
from keras_bert.pretraining.job.batches import RunBatches
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.text import BertTokenizer

pytestmark = pytest.mark.large


def train(recipe):
    run_plan(plan_pretraining(recipe))


@pytest.mark.smoke("True")
@pytest.mark.parametrize("lowercase", [True, False])
def test_a_run_leaves_a_model_that_reads_texts_as_its_records(
    folder, lowercase
):
    for part in ("train", "eval"):
        folder.write_manifest(
            f"static-{part}.tfrecord", do_lower_case=lowercase
        )
    train(folder.recipe(num_train_steps=3))
    tokenizer = BertTokenizer(folder.vocabulary, lowercase=lowercase)
    saved = from_pretrained(folder.path / "run").tokenizer
    assert saved(["The DOG"]).to_list() == tokenizer(["The DOG"]).to_list()
    assert saved.lowercase == lowercase
    states = folder.path / "run" / "states"
    names = {"model_config.json", "tokenizer_config.json", "vocab.txt"}
    for name in names:
        content = (folder.path / "run" / name).read_bytes()
        assert (states / name).read_bytes() == content
    found = {path.name for path in states.iterdir()}
    assert found == names | {"step-00000003.npz"}


def test_records_too_long_for_a_checkpoint_are_an_error(folder):
    short = dataclasses.replace(folder.config, max_position_embeddings=8)
    path = folder.save_model(short)
    with pytest.raises(ValueError, match="max_position_embeddings=8"):
        train(folder.continued(path))


@pytest.mark.exhaustive
def test_a_checkpoint_without_a_casing_takes_that_of_the_records(folder):
    path = folder.save_model(folder.config)
    for name in ("manifest.json", "tokenizer_config.json"):
        (path / name).unlink(missing_ok=True)
    for part in ("train", "eval"):
        folder.write_manifest(f"static-{part}.tfrecord", do_lower_case=False)
    train(folder.continued(path, num_train_steps=3))
    assert not from_pretrained(folder.path / "run").tokenizer.lowercase


def test_what_a_run_is_stands_there_before_its_first_step(folder, monkeypatch):
    def train_nothing(self, batches, num_steps):
        raise KeyboardInterrupt

    monkeypatch.setattr(PretrainingLoop, "train", train_nothing)
    with pytest.raises(KeyboardInterrupt):
        train(folder.recipe(eval_file=None))
    names = {path.name for path in (folder.path / "run/states").iterdir()}
    assert names == {"model_config.json", "tokenizer_config.json", "vocab.txt"}
    assert (folder.path / "run" / "run.json").exists()


def put_garbage(path):
    """Replace a record in the middle by something that is no record."""
    records = [record for _, record in framed_records(path)]
    records[len(records) // 2] = b"\x07no example"
    with open(path, "wb") as file:
        write_records(file, records)


@pytest.mark.smoke("static")
@pytest.mark.parametrize("masking", ["static", "dynamic"])
@pytest.mark.parametrize("part", ["train", "eval"])
def test_a_damaged_record_is_named(folder, masking, part):
    name = f"{masking}-{part}.tfrecord"
    put_garbage(folder.path / name)
    folder.write_manifest(name)  # Like a file that was corrupt before.
    plan = plan_pretraining(folder.recipe(masking))
    batches = RunBatches(plan, plan.vocabulary, plan.config.vocab_size)
    data = {"train": batches.training(0).take(50), "eval": batches.evaluation()}
    with pytest.raises(
        ValueError,
        match=rf"{name}, record \d+ \(counted from 0; at byte \d+\): it must "
        "be a tf.train.Example.* keras-bert inspect_records --input_file="
        f".*{name} --vocab_file=.*vocab.txt$",
    ):
        with batches.corruption_names_file():
            list(data[part])


@pytest.mark.exhaustive
def test_a_run_over_damaged_records_is_one_line(folder):
    put_garbage(folder.path / "static-train.tfrecord")
    folder.write_manifest("static-train.tfrecord")
    with pytest.raises(ValueError, match="train.*, record .*Example") as caught:
        train(folder.recipe(num_train_steps=100))
    assert "\n" not in str(caught.value)


def test_an_exhausted_allocator_is_told_in_words(folder, monkeypatch):
    def exhaust(self, batches, num_steps):
        raise tf.errors.ResourceExhaustedError(
            None, None, "Graph execution error:\n\nOOM on shape[9,9]\n table"
        )

    monkeypatch.setattr(PretrainingLoop, "train", exhaust)
    with pytest.raises(
        MemoryError, match="Lower `train_batch_size`.*OOM on shape.9,9.$"
    ):
        train(folder.recipe(eval_file=None))


def test_the_records_are_looked_at_before_a_fresh_model_is_made(
    folder, monkeypatch
):
    def fail(plan):
        raise AssertionError("made too early")

    monkeypatch.setattr("keras_bert.pretraining.job.job.make_bert", fail)
    path = folder.path / "static-train.tfrecord"
    path.write_bytes(b"")
    folder.write_manifest(path.name)
    with pytest.raises(ValueError, match="must contain records"):
        train(folder.recipe())
    assert not [*folder.path.glob("run/*")]


@pytest.mark.exhaustive
def test_a_run_that_is_not_finished_can_be_gone_on_from(folder, caplog):
    caplog.set_level("INFO")
    train(folder.recipe(num_train_steps=3, eval_file=None))
    (message,) = [x for x in caplog.messages if x.startswith("Wrote")]
    assert message == f"Wrote {folder.path / 'run'}."
    for path in folder.path.glob("run/*"):
        if path.is_file() and path.name != "run.json":
            path.unlink()
    changes = {"output_dir": folder.file("second"), "num_train_steps": 3}
    plan = plan_pretraining(folder.continued(folder.path / "run", **changes))
    assert "step-00000003.npz" in plan.settings["checkpoint"]
    assert plan.vocab_file.endswith("states/vocab.txt")
    run_plan(plan)
    assert (folder.path / "second" / "model.safetensors").exists()


def test_gpt_learns_from_left_to_right(folder):
    """Train from WordPiece records, because GPT-1 lacks special tokens."""
    size = folder.config.vocab_size
    config = OpenAIGPTConfig(size, 128, n_embd=8, n_layer=1, n_head=2)
    config.to_json(folder.path / "config.json")
    train(folder.recipe(num_train_steps=3, objective="left_to_right"))
    bert = from_pretrained(folder.path / "run")
    assert bert.config == config
    assert bert.parts == {"masked_lm_head"}
