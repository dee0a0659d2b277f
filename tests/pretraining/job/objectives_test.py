"""Objectives from records to checkpoints, interrupted and resumed."""

import numpy as np
import pytest

from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints.family import find_family
from keras_bert.models import Backbone
from keras_bert.pretraining.job import plan_pretraining
from keras_bert.pretraining.job import run_plan
from keras_bert.pretraining.job.batches import RunBatches
from keras_bert.pretraining.job.model import make_bert
from tests import tiny

# A family, changes to its config, and values of the recipe.
_CASES = {
    "electra": ("electra", {}, {"generator_size": 0.5}),
    "electra_gdes": ("deberta-v2", {"L": 4}, {}),
    "mlm_sbo": ("bert", {}, {}),
    "plm": ("xlnet", {}, {}),
    "distillation": ("distilbert", {"L": 1}, {"teacher_dir": "teacher"}),
    "mlm": ("deberta", {"enhanced_mask_decoder": True}, {"masking": "static"}),
    # Rows of several texts.
    "packed": (
        "modernbert",
        {"mlp_dropout": 0.1},
        {
            "objective": "mlm",
            "masking": "packed",
            "mask_special_tokens": True,
            "optimizer": "stable_adamw",
            "learning_rate_decay": "wsd",
        },
    ),
}
_MODEL = "model.safetensors"


def _config(folder, model_type, **changes):
    config_class = find_family(model_type).config
    keys = {*config_class.dropout_keys} & {*config_class.__dataclass_fields__}
    dropout = dict.fromkeys(keys, 0.1)
    values = {"V": len(folder.vocabulary), **dropout, **changes}
    return tiny.config(model_type, **values)


@pytest.fixture
def make(folder):
    """Return a function that creates the recipe of an objective."""
    folder.save_model(folder.config, "teacher")

    def make(name, **changes):
        model_type, sizes, values = _CASES[name]
        config = _config(folder, model_type, **sizes)
        config.to_json(folder.path / "first.json")
        values = {
            "masking": "dynamic",
            "objective": name,
            "bert_config_file": folder.file("first.json"),
            "log_steps": 1,
            "save_checkpoints_steps": 2,
            **values,
            **changes,
        }
        if "teacher_dir" in values:
            values["teacher_dir"] = folder.file("teacher")
        return folder.recipe(**values)

    return make


def _continued(directory, **changes):
    return {
        "init_checkpoint": str(directory),
        "bert_config_file": None,
        "vocab_file": None,
        **changes,
    }


def train(recipe):
    run_plan(plan_pretraining(recipe))


@pytest.mark.exhaustive
@pytest.mark.large
@pytest.mark.parametrize("name", _CASES)
def test_a_killed_run_ends_as_a_whole_one(
    folder, make, killed, monkeypatch, name
):
    built, packed_form = [], Backbone.packed
    monkeypatch.setattr(
        Backbone, "packed", lambda x: built.append(x) or packed_form(x)
    )
    train(make(name))
    # Evaluation uses no random state.
    output_dir = folder.file("stopped")
    recipe = make(name, output_dir=output_dir, eval_file=None)
    killed(train, recipe)
    is_electra = name.startswith("electra")
    head = "replaced_token_head" if is_electra else "masked_lm_head"
    assert from_pretrained(output_dir).parts == {head}
    train(recipe)
    whole, stopped = (folder.path / name for name in ("run", "stopped"))
    for name_of_file in (_MODEL, f"generator/{_MODEL}")[: 1 + is_electra]:
        expected = (whole / name_of_file).read_bytes()
        assert (stopped / name_of_file).read_bytes() == expected
    assert len(built) == (3 if name == "packed" else 0)


def test_a_recipe_gets_the_values_of_its_objective(make):
    for name, changes, field, value in (
        ("electra", {"generator_size": None}, "generator_size", 0.25),
        ("electra_gdes", {}, "generator_size", 0.5),
        ("mlm_sbo", {}, "do_whole_word_mask", True),
        ("mlm_sbo", {}, "ngram", 10),
        ("mlm_sbo", {"ngram": 3}, "ngram", 3),
    ):
        plan = plan_pretraining(make(name, **changes))
        assert getattr(plan.recipe, field) == plan.settings[field] == value


@pytest.mark.large
def test_a_generator_of_the_checkpoint_is_needed(folder, make):
    folder.save_model(_config(folder, "electra"), "alone")
    changes = _continued(folder.path / "alone", generator_size=None)
    with pytest.raises(ValueError, match="No directory '.*/alone/generator'"):
        train(make("electra", **changes))
    folder.save_model(_config(folder, "deberta"), "other")
    with pytest.raises(ValueError, match="supports: mlm or.*electra_gdes"):
        train(make("electra_gdes", **_continued(folder.path / "other")))


def test_predicted_tokens_are_ordered_at_random(make):
    plan = plan_pretraining(make("plm", eval_file=None))
    batches = RunBatches(plan, plan.vocabulary, plan.config.vocab_size)
    is_first = []
    for inputs, _, weights in batches.training(0).take(200):
        is_real = weights["mlm_logits"].numpy() > 0
        for row, ranks in enumerate(inputs["permutation_ranks"].numpy()):
            at = inputs["masked_lm_positions"][row].numpy()[is_real[row]]
            assert sorted(ranks[at]) == [*range(1, len(at) + 1)]
            is_first += [ranks[at[0]] == 1] if len(at) == 2 else []
    assert len(is_first) > 100
    assert 0.35 < np.mean(is_first) < 0.65
    trainable = plan.objective.trainable_models(
        make_bert(plan), plan.recipe, None
    )
    inputs = {name: inputs[name] for name in trainable.model.input}
    assert "permutation_ranks" in inputs
    logits = trainable.model(inputs)["mlm_logits"]
    assert logits.shape == (8, 3, len(plan.vocabulary))


@pytest.mark.parametrize(
    ("objective", "share"), [("electra", 0.85), ("electra_gdes", 1.0)]
)
def test_tokens_are_masked_by_their_share_and_none_is_random(
    make, objective, share
):
    plan = plan_pretraining(make(objective, eval_file=None))
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
    assert np.mean(shares) == pytest.approx(share, abs=0.02 * (share < 1))


@pytest.mark.exhaustive
@pytest.mark.large
def test_a_generator_and_its_discriminator_are_trained_further(folder, make):
    train(make("electra"))
    changes = _continued(
        folder.path / "run",
        generator_size=None,
        output_dir=folder.file("again"),
    )
    plan = plan_pretraining(make("electra", **changes))
    assert _MODEL in plan.settings["generator"]
    trainable = plan.objective.trainable_models(
        make_bert(plan), plan.recipe, from_pretrained
    )
    assert trainable.kept["generator"].config.hidden_size == 4
    for name, model in trainable.kept.items():
        saved = from_pretrained(folder.path / "run" / name)
        assert {*model.weights} == {*saved.weights}
        for path, weight in saved.weights.items():
            np.testing.assert_array_equal(weight, model.weights[path])


def test_a_run_depends_on_what_its_teacher_holds(folder, make):
    settings = plan_pretraining(make("distillation")).settings
    assert "teacher_dir" not in settings
    assert {*settings["teacher"]} > {_MODEL, "vocab.txt"}
    with pytest.raises(ValueError, match="must not be an input, contain an"):
        output_dir = folder.file("teacher")
        plan_pretraining(make("distillation", output_dir=output_dir))
