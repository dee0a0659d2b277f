import dataclasses
import json
import os

import numpy as np
import pytest

from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from tests import tiny


@pytest.fixture
def bert(make_settings):
    config = tiny.config("bert", V=40)
    return PretrainedModel.from_config(config, make_settings("wordpiece"))


def write_state(bert, directory, step, **about):
    """Write the state that pre-training saves at a step."""
    weights = bert.model.weights
    arrays = [np.full(w.shape, step, np.float32) for w in weights]
    arrays += [np.zeros(w.shape, np.float32) for w in weights]  # Moments.
    about = {"step": step, "weights": [w.path for w in weights], **about}
    np.savez(
        directory / "states" / f"step-{step:08d}.npz",
        about=json.dumps(about),
        **{f"{i:05d}": array for i, array in enumerate(arrays)},
    )


@pytest.fixture
def run(bert, tmp_path):
    """Return the directory of a run with the states of steps 2 and 11."""
    (tmp_path / "states").mkdir()
    bert.config.to_json(tmp_path / "states" / "model_config.json")
    bert.tokenizer_settings.write(tmp_path / "states")
    for step in (2, 11):
        write_state(bert, tmp_path, step)
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    return tmp_path


def assert_step(bert, step):
    for weight in bert.model.weights:
        np.testing.assert_array_equal(weight.numpy(), step, weight.path)


def test_the_newest_state_is_read(run, bert, caplog):
    with caplog.at_level("INFO"):
        found = from_pretrained(run)
    assert_step(found, 11)
    assert "is unfinished: reading the state of step 11" in caplog.text
    assert found.config == bert.config
    assert found.tokenizer.vocabulary.tokens == bert.tokenizer.vocabulary.tokens
    assert found.parts == bert.parts


def test_a_run_without_a_head_has_none(run, bert):
    write_state(bert.with_parts(["masked_lm_head"]), run, 12)
    assert from_pretrained(run).parts == {"masked_lm_head"}


@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_damaged_state_falls_back_to_the_one_before(damage, run, caplog):
    path = run / "states" / "step-00000011.npz"
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[data.index(b"00000.npy") + 300] ^= 1
    path.write_bytes(data[:-99] if damage == "cut" else data)
    with caplog.at_level("INFO"):
        assert_step(from_pretrained(run), 2)
    assert "step-00000011.npz is damaged; reading the previous" in caplog.text
    assert "reading the state of step 2" in caplog.text


@pytest.mark.parametrize("has_objects", [False, True])
def test_states_that_are_all_damaged_are_an_error(run, has_objects):
    for path in run.glob("states/*.npz"):
        path.write_bytes(b"half")
        if has_objects:  # Arrays are never unpickled.
            np.savez(path, about=np.array([{"weights": []}], dtype=object))
    with pytest.raises(CheckpointError, match="None of the 2 states in"):
        from_pretrained(run)


def test_the_casing_is_that_beside_the_states(run, bert):
    cased = dataclasses.replace(bert.tokenizer_settings, lowercase=False)
    dataclasses.replace(cased, strip_accents=False).write(run / "states")
    assert not from_pretrained(run).tokenizer.lowercase
    with pytest.raises(CheckpointError, match="must be the same in all files"):
        from_pretrained(run, lowercase=True)


def test_a_finished_checkpoint_is_read_before_states(run, bert, caplog):
    for weight in bert.model.weights:
        weight.assign(np.full(weight.shape, 7.0))
    save_pretrained(bert, run)
    assert_step(from_pretrained(run), 7)
    assert "is newer" not in caplog.text
    after = (run / "model.safetensors").stat().st_mtime + 9
    os.utime(run / "states" / "step-00000011.npz", (after, after))
    assert_step(from_pretrained(run), 7)
    assert "The state of step 11 is newer and is ignored" in caplog.text
