"""DeBERTa's objectives from records to checkpoints, killed and gone on with."""

import numpy as np
import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.models.deberta_config import DebertaConfig
from keras_bert.models.deberta_v2_config import DebertaV2Config
from keras_bert.programs.pretraining import plan_pretraining
from keras_bert.programs.pretraining import run_plan
from keras_bert.programs.pretraining.batches import RunBatches
from keras_bert.text import BertTokenizer


def train(recipe):
    run_plan(plan_pretraining(recipe))


@pytest.mark.exhaustive
@pytest.mark.large
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
    killed(train, stopped)
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


@pytest.fixture
def gdes(folder):
    """A function that makes a recipe of version 3, with changes."""
    DebertaV2Config(
        len(folder.vocabulary),
        *(8, 4, 2, 16),
        max_position_embeddings=16,
        position_buckets=6,
    ).to_json(folder.path / "deberta.json")

    def gdes(**changes):
        values = {
            "masking": "dynamic",
            "objective": "electra_gdes",
            "bert_config_file": folder.file("deberta.json"),
            "log_steps": 1,
            "save_checkpoints_steps": 2,
            "eval_file": None,
        }
        return folder.recipe(**{**values, **changes})

    return gdes


def test_every_masked_token_becomes_the_mask(gdes):
    plan = plan_pretraining(gdes())
    assert plan.recipe.generator_size == 0.5
    batches = RunBatches(plan, plan.vocabulary, plan.config.vocab_size)
    mask = plan.vocabulary.id_of(plan.vocabulary.roles["mask"])
    for inputs, _, weights in batches.training(0).take(20):
        rows = np.arange(len(inputs["input_ids"]))[:, None]
        shown = inputs["input_ids"].numpy()[rows, inputs["masked_lm_positions"]]
        assert np.all(shown[weights["mlm_logits"].numpy() > 0] == mask)


@pytest.mark.exhaustive
@pytest.mark.large
def test_what_is_kept_is_the_sum_killed_or_not(gdes, folder, killed):
    train(gdes())
    stopped = gdes(output_dir=folder.file("stopped"))
    killed(train, stopped)
    unfinished = from_pretrained(folder.path / "stopped")
    assert unfinished.parts == {"replaced_token_head"}
    train(stopped)
    whole, stopped = (folder.path / name for name in ("run", "stopped"))
    for name in ("model.safetensors", "generator/model.safetensors"):
        assert (whole / name).read_bytes() == (stopped / name).read_bytes()

    discriminator = from_pretrained(whole)
    generator = from_pretrained(whole / "generator")
    assert generator.parts == {"masked_lm_head"}
    assert generator.config.enhanced_mask_decoder
    assert len(generator.backbone.blocks) == 2
    own, shared, before = (
        np.asarray(x.weights["embeddings/word_embeddings"])
        for x in (discriminator, generator, unfinished)
    )
    # A table of its own alone would be far from the generator's.
    assert 0 < np.abs(own - shared).max() < 1e-2
    assert 0 < np.abs(own - before).max() < 1e-2
    assert np.abs(own).max() > 0.03


def test_a_checkpoint_of_another_family_is_refused(gdes, folder):
    config = DebertaConfig(
        len(folder.vocabulary), *(8, 2, 2, 16), max_position_embeddings=16
    )
    model = PretrainedModel.from_config(
        config, BertTokenizer(folder.vocabulary)
    )
    save_pretrained(model, folder.path / "first")
    recipe = gdes(
        init_checkpoint=folder.file("first"),
        bert_config_file=None,
        vocab_file=None,
    )
    with pytest.raises(ValueError, match="of deberta-v2 for.*: deberta in"):
        train(recipe)
