"""ELECTRA from records to its two checkpoints, killed and gone on with."""

import numpy as np
import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.models.electra import ElectraConfig
from keras_bert.programs.pretraining import plan_pretraining
from keras_bert.programs.pretraining import run_plan
from keras_bert.programs.pretraining.batches import RunBatches
from keras_bert.text import BertTokenizer


@pytest.fixture
def electra(folder):
    """A function that makes a recipe, with changes."""
    ElectraConfig(
        len(folder.vocabulary), 8, 2, 2, 16, max_position_embeddings=16
    ).to_json(folder.path / "electra.json")

    def electra(**changes):
        values = {
            "masking": "dynamic",
            "objective": "electra",
            "generator_size": 0.5,
            "bert_config_file": folder.file("electra.json"),
            "log_steps": 1,
            "save_checkpoints_steps": 2,
        }
        return folder.recipe(**{**values, **changes})

    return electra


def train(recipe):
    run_plan(plan_pretraining(recipe))


def test_a_generator_has_a_size_up_to_its_discriminators(electra, folder):
    for size in (0.0, 1.5):
        with pytest.raises(ValueError, match=f"`generator_size`.*={size}"):
            electra(generator_size=size)
    with pytest.raises(ValueError, match="'electra', no other. .*=0.25"):
        folder.recipe(generator_size=0.25)
    plan = plan_pretraining(electra(generator_size=None))
    assert plan.recipe.generator_size == plan.settings["generator_size"] == 0.25
    plain = plan_pretraining(folder.recipe()).settings
    assert not {"generator", "generator_size"} & {*plain}


def test_records_that_are_masked_already_are_an_error(electra):
    with pytest.raises(ValueError, match="--objective=electra .*=static"):
        plan_pretraining(electra(masking="static"))


def test_85_percent_are_masked_and_no_token_is_random(electra):
    plan = plan_pretraining(electra(eval_file=None))
    batches = RunBatches(plan, plan.vocabulary, plan.config.vocab_size)
    roles = plan.vocabulary.roles
    special = [plan.vocabulary.id_of(token) for token in roles.values()]
    mask = plan.vocabulary.id_of(roles["mask"])
    shares = []
    for inputs, _, weights in batches.training(0).take(300):
        rows = np.arange(len(inputs["input_ids"]))[:, None]
        shown = inputs["input_ids"].numpy()[rows, inputs["masked_lm_positions"]]
        is_real = weights["mlm_logits"].numpy() > 0
        shown, labels = shown[is_real], inputs["masked_lm_ids"].numpy()[is_real]
        assert np.all((shown == mask) | (shown == labels))
        assert not np.any(np.isin(labels, special))
        shares.append(np.mean(shown == mask))
        np.testing.assert_array_equal(weights["tokens"], inputs["input_mask"])
    assert np.mean(shares) == pytest.approx(0.85, abs=0.02)


@pytest.mark.large
def test_a_discriminator_without_its_generator_is_an_error(folder, electra):
    config = ElectraConfig.from_json(folder.path / "electra.json")
    save_pretrained(
        PretrainedModel.from_config(config, BertTokenizer(folder.vocabulary)),
        folder.path / "alone",
    )
    recipe = electra(
        init_checkpoint=folder.file("alone"),
        bert_config_file=None,
        vocab_file=None,
        generator_size=None,
    )
    with pytest.raises(ValueError, match="No directory '.*/alone/generator'"):
        train(recipe)


@pytest.mark.exhaustive
@pytest.mark.large
def test_a_killed_run_ends_as_a_whole_one_and_goes_on_with_both(
    folder, electra, killed
):
    train(electra())
    # Evaluations draw from no state.
    stopped = electra(output_dir=folder.file("stopped"), eval_file=None)
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
    assert generator.config.hidden_size == 4
    table = "embeddings/tables/word_embeddings"
    np.testing.assert_array_equal(
        discriminator.weights[table], generator.weights[table]
    )

    again = electra(
        init_checkpoint=str(whole),
        bert_config_file=None,
        vocab_file=None,
        generator_size=None,
        output_dir=folder.file("again"),
        num_train_steps=1,
        num_warmup_steps=0,
        learning_rate=1e-12,
    )
    assert "model.safetensors" in plan_pretraining(again).settings["generator"]
    train(again)
    for name, before in (("", discriminator), ("generator", generator)):
        after = from_pretrained(folder.path / "again" / name)
        for path, weight in after.weights.items():
            np.testing.assert_allclose(
                weight, before.weights[path], atol=1e-9, err_msg=path
            )
