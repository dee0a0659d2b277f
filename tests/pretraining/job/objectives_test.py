"""Objectives from records to checkpoints, interrupted and resumed."""

import json

import numpy as np
import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.family import find_family
from keras_bert.pretraining.job import plan_pretraining
from keras_bert.pretraining.job import run_plan
from keras_bert.pretraining.job.batches import RunBatches
from keras_bert.text import BertTokenizer
from tests import tiny

# A family, changes to its config, and values of the recipe.
_CASES = {
    "electra": ("electra", {}, {"generator_size": 0.5}),
    "electra_gdes": ("deberta-v2", {"L": 4}, {}),
    "mlm_sbo": ("bert", {}, {}),
    "plm": ("xlnet", {}, {}),
    "distillation": ("distilbert", {"L": 1}, {"teacher_dir": "teacher"}),
    "mlm": ("deberta", {"enhanced_mask_decoder": True}, {"masking": "static"}),
}
_MODEL = "model.safetensors"


def _config(folder, model_type, **changes):
    dropout = dict.fromkeys(find_family(model_type).config.dropout_keys, 0.1)
    values = {"V": len(folder.vocabulary), **dropout, **changes}
    return tiny.config(model_type, **values)


def _save(folder, config, name):
    tokenizer = BertTokenizer(folder.vocabulary)
    model = PretrainedModel.from_config(config, tokenizer)
    random = np.random.default_rng(1)
    for weight in model.weights.values():
        weight.assign(random.normal(0, 0.3, weight.shape))
    save_pretrained(model, folder.path / name)


@pytest.fixture
def make(folder):
    """Return a function that creates the recipe of an objective."""
    _save(folder, folder.config, "teacher")

    def make(objective, **changes):
        model_type, sizes, values = _CASES[objective]
        config = _config(folder, model_type, **sizes)
        config.to_json(folder.path / "first.json")
        values = {
            "masking": "dynamic",
            "objective": objective,
            "bert_config_file": folder.file("first.json"),
            "log_steps": 1,
            "save_checkpoints_steps": 2,
            **values,
        }
        if "teacher_dir" in values:
            values["teacher_dir"] = folder.file("teacher")
        return folder.recipe(**{**values, **changes})

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
@pytest.mark.parametrize("objective", _CASES)
def test_a_killed_run_ends_as_a_whole_one(folder, make, killed, objective):
    train(make(objective))
    # Evaluation uses no random state.
    output_dir = folder.file("stopped")
    recipe = make(objective, output_dir=output_dir, eval_file=None)
    killed(train, recipe)
    is_electra = objective.startswith("electra")
    head = "replaced_token_head" if is_electra else "masked_lm_head"
    assert from_pretrained(output_dir).parts == {head}
    train(recipe)
    whole, stopped = (folder.path / name for name in ("run", "stopped"))
    for name in (_MODEL, f"generator/{_MODEL}")[: 1 + is_electra]:
        assert (whole / name).read_bytes() == (stopped / name).read_bytes()


def test_a_generator_has_a_size_up_to_its_discriminators(make, folder):
    for size in (0.0, 1.5):
        with pytest.raises(ValueError, match=f"`generator_size`.*={size}"):
            make("electra", generator_size=size)
    with pytest.raises(ValueError, match="does not use .*'electra'. .*=0.25"):
        folder.recipe(generator_size=0.25)
    plan = plan_pretraining(make("electra", generator_size=None))
    assert plan.recipe.generator_size == plan.settings["generator_size"] == 0.25
    assert plan_pretraining(make("electra_gdes")).recipe.generator_size == 0.5


def test_records_that_are_masked_already_are_an_error(make):
    for name in ("electra", "mlm_sbo", "plm"):
        with pytest.raises(ValueError, match=f"objective='{name}' .*=static"):
            plan_pretraining(make(name, masking="static"))


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


@pytest.mark.large
def test_a_discriminator_without_its_generator_is_an_error(folder, make):
    _save(folder, _config(folder, "electra"), "alone")
    changes = _continued(folder.path / "alone", generator_size=None)
    with pytest.raises(ValueError, match="No directory '.*/alone/generator'"):
        train(make("electra", **changes))


def test_a_checkpoint_of_another_family_is_refused(folder, make):
    _save(folder, _config(folder, "deberta"), "other")
    with pytest.raises(ValueError, match="supports: mlm or.*electra_gdes"):
        train(make("electra_gdes", **_continued(folder.path / "other")))


@pytest.mark.exhaustive
@pytest.mark.large
def test_a_generator_and_its_discriminator_are_trained_further(folder, make):
    train(make("electra"))
    names = ("", "generator")
    before = [from_pretrained(folder.path / "run" / x) for x in names]
    discriminator, generator = before
    assert generator.parts == {"masked_lm_head"}
    assert generator.config.hidden_size == 4
    table = "embeddings/tables/word_embeddings"
    np.testing.assert_array_equal(
        discriminator.weights[table], generator.weights[table]
    )
    changes = _continued(
        folder.path / "run",
        generator_size=None,
        output_dir=folder.file("again"),
        num_train_steps=1,
        num_warmup_steps=0,
        learning_rate=1e-12,
    )
    again = make("electra", **changes)
    assert _MODEL in plan_pretraining(again).settings["generator"]
    train(again)
    for name, model in zip(names, before):
        after = from_pretrained(folder.path / "again" / name)
        for path, weight in after.weights.items():
            np.testing.assert_allclose(
                weight, model.weights[path], atol=1e-9, err_msg=path
            )


@pytest.mark.exhaustive
@pytest.mark.large
def test_a_discriminator_keeps_the_sum_of_its_tables(folder, make):
    train(make("electra_gdes"))
    discriminator = from_pretrained(folder.path / "run")
    generator = from_pretrained(folder.path / "run" / "generator")
    assert generator.config.enhanced_mask_decoder
    assert len(generator.backbone.blocks) == 2
    own, shared = (
        np.asarray(x.weights["embeddings/word_embeddings"])
        for x in (discriminator, generator)
    )
    # A table without the generator's part would differ much.
    assert 0 < np.abs(own - shared).max() < 1e-2
    assert np.abs(own).max() > 0.03


@pytest.mark.exhaustive
def test_a_model_of_spans_is_saved_as_bert(folder, make):
    train(make("mlm_sbo", num_train_steps=3))
    lines = (folder.path / "run" / "metrics.jsonl").read_text().splitlines()
    for point in map(json.loads, lines):
        if point["split"] == "train":
            assert point["sbo_loss"] > 0
            loss = point["mlm_loss"] + point["sbo_loss"]
            assert point["loss"] == pytest.approx(loss, rel=1e-5)
    (state,) = (folder.path / "run" / "states").glob("step-*03.npz")
    # The boundary head's table of positions.
    assert (15, 200) in {x.shape for x in np.load(state).values()}
    model = from_pretrained(folder.path / "run")
    assert type(model.config) is type(folder.config)
    assert model.parts == {"masked_lm_head"}
    assert not [path for path in model.weights if "span" in path]


def test_the_masks_of_an_objective_can_be_changed(make):
    recipe = plan_pretraining(make("mlm_sbo")).recipe
    assert (recipe.ngram, recipe.do_whole_word_mask) == (10, True)
    recipe = plan_pretraining(make("mlm_sbo", ngram=3)).recipe
    assert (recipe.ngram, recipe.do_whole_word_mask) == (3, True)


def test_a_permutation_orders_the_predicted_tokens(folder, make):
    dynamic = plan_pretraining(make("mlm", masking="dynamic", eval_file=None))
    recipe = make("plm", num_train_steps=3, eval_file=None)
    plan = plan_pretraining(recipe)
    batches = RunBatches(plan, plan.vocabulary, plan.config.vocab_size)
    texts = RunBatches(dynamic, plan.vocabulary, plan.config.vocab_size)
    first = []
    for (inputs, labels, weights), (other, known, real) in zip(
        batches.training(0).take(200), texts.training(0), strict=False
    ):
        ids = other["input_ids"].numpy()
        rows, places = np.nonzero(real["mlm_logits"])
        at = other["masked_lm_positions"].numpy()[rows, places]
        ids[rows, at] = known["mlm_logits"].numpy()[rows, places]
        for row, length in zip(ids, other["input_mask"].numpy().sum(1)):
            row[:length] = np.roll(row[:length], -1)  # [CLS] is the last.
        np.testing.assert_array_equal(inputs["input_ids"], ids)
        is_real = weights["mlm_logits"].numpy() > 0
        for row, ranks in enumerate(inputs["permutation_ranks"].numpy()):
            at = inputs["masked_lm_positions"][row].numpy()[is_real[row]]
            wanted = labels["mlm_logits"][row].numpy()[is_real[row]]
            np.testing.assert_array_equal(ids[row, at], wanted)
            assert sorted(ranks[at]) == [*range(1, len(at) + 1)]
            assert ranks.sum() == ranks[at].sum()
            first += [ranks[at[0]] == 1] if len(at) == 2 else []
    assert len(first) > 100
    assert 0.35 < np.mean(first) < 0.65
    train(recipe)
    model = from_pretrained(folder.path / "run")
    assert model.parts == {"masked_lm_head"}


def test_a_teacher_is_of_one_objective_and_needed_there(folder):
    with pytest.raises(ValueError, match="does not use `teacher_dir`"):
        folder.recipe(teacher_dir="teacher")
    with pytest.raises(ValueError, match="requires .*=None"):
        folder.recipe(objective="distillation")


def test_a_run_depends_on_what_its_teacher_holds(folder, make):
    settings = plan_pretraining(make("distillation")).settings
    assert "teacher_dir" not in settings
    assert {*settings["teacher"]} > {_MODEL, "vocab.txt"}
    with pytest.raises(ValueError, match="must not be an input, contain an"):
        output_dir = folder.file("teacher")
        plan_pretraining(make("distillation", output_dir=output_dir))


@pytest.mark.exhaustive
def test_a_student_learns_what_its_teacher_says(folder, make):
    before = (folder.path / "teacher" / _MODEL).read_bytes()
    # A new student would start from layers of its teacher.
    config = _config(folder, "distilbert", L=1)
    tokenizer = BertTokenizer(folder.vocabulary)
    student = PretrainedModel.from_config(config, tokenizer)
    save_pretrained(student, folder.path / "student")
    changes = _continued(folder.path / "student", num_train_steps=25)
    train(make("distillation", **changes, learning_rate=1e-2))
    assert (folder.path / "teacher" / _MODEL).read_bytes() == before
    lines = (folder.path / "run" / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    first, *_, last = (x for x in points if x["split"] == "eval")
    for name in ("teacher_loss", "cosine_loss"):
        assert last[name] < first[name]
    for point in (x for x in points if x["split"] == "train"):
        loss = 5 * point["teacher_loss"] + 2 * point["mlm_loss"]
        loss += point["cosine_loss"]
        assert point["loss"] == pytest.approx(loss, rel=1e-5)
