"""DeBERTa's objectives from records to checkpoints, killed and gone on with."""

import numpy as np
import pytest

from keras_bert.checkpoints import from_pretrained
from keras_bert.models.deberta_config import DebertaConfig
from keras_bert.programs.pretraining import plan_pretraining
from keras_bert.programs.pretraining import run_plan
from keras_bert.training.loop import PretrainingLoop


def train(recipe):
    run_plan(plan_pretraining(recipe))


@pytest.fixture
def killed(monkeypatch):
    """A function that trains until three stretches of steps are taken."""

    def killed(recipe):
        train_some, done = PretrainingLoop.train, []

        def stop_behind_three(self, *arguments):
            if len(done) == 3:
                raise KeyboardInterrupt
            done.append(self)
            return train_some(self, *arguments)

        with monkeypatch.context() as patch:
            patch.setattr(PretrainingLoop, "train", stop_behind_three)
            with pytest.raises(KeyboardInterrupt):
                train(recipe)

    return killed


def test_a_mask_decoder_is_trained_killed_and_gone_on_with(folder, killed):
    DebertaConfig(
        len(folder.vocabulary),
        *(8, 2, 2, 16),
        max_position_embeddings=16,
        enhanced_mask_decoder=True,
    ).to_json(folder.path / "deberta.json")
    values = {
        "objective": "mlm",
        "bert_config_file": folder.file("deberta.json"),
        "log_steps": 1,
        "save_checkpoints_steps": 2,
        "eval_file": None,
    }
    train(folder.recipe(**values))
    stopped = folder.recipe(**values, output_dir=folder.file("stopped"))
    killed(stopped)
    unfinished = from_pretrained(folder.path / "stopped")
    assert unfinished.config.enhanced_mask_decoder
    train(stopped)
    whole, stopped = (
        (folder.path / name / "model.safetensors").read_bytes()
        for name in ("run", "stopped")
    )
    assert whole == stopped
    table, before = (
        np.asarray(x.weights["embeddings/position_embeddings"])
        for x in (from_pretrained(folder.path / "run"), unfinished)
    )
    assert np.abs(table - before).max() > 1e-5
