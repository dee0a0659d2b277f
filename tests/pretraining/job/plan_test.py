import dataclasses
import json
import pathlib
import re
import shutil

import pytest

from keras_bert.checkpoints.family import find_family
from keras_bert.pretraining.job import PretrainingRecipe
from keras_bert.pretraining.job import plan_pretraining
from keras_bert.pretraining.job.model_config import resolve_model_config
from keras_bert.pretraining.job.run_record import write_run
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.text import Vocabulary
from tests.processes import run_python

_KNOWN = {"max_seq_length": 16, "max_predictions_per_seq": 3}
# Runs the tool without TensorFlow and Keras.
_PROGRAM = """
import runpy, sys

class Missing:
    def find_spec(name, path, target=None):
        if name in ("tensorflow", "keras"):
            raise ModuleNotFoundError(f"No module {name}", name=name)

sys.meta_path.insert(0, Missing)
runpy.run_path("tools/run_pretraining.py", run_name="__main__")
"""


def begin(plan):
    """Write the run record of this plan, like the job at its start."""
    output_dir = pathlib.Path(plan.recipe.output_dir)
    write_run(output_dir, plan.settings)


def change_config(folder, **changes):
    config = dataclasses.replace(folder.config, **changes)
    config.to_json(folder.path / "config.json")


def swap_two_pieces(folder, name="vocab.txt"):
    """Swap two lines of the vocabulary."""
    tokens = [*folder.vocabulary.tokens]
    tokens[-1], tokens[-2] = tokens[-2], tokens[-1]
    Vocabulary(tokens).save(folder.path / name)


@pytest.fixture
def checkpoint(folder):
    return folder.save_model(folder.config)


def test_what_is_left_open_the_manifests_tell(folder):
    plan = plan_pretraining(folder.recipe("dynamic"))
    recipe = plan.recipe
    assert recipe.masking == "dynamic"
    assert (recipe.max_seq_length, recipe.max_predictions_per_seq) == (16, 3)
    assert (recipe.masked_lm_prob, recipe.do_whole_word_mask) == (0.15, False)
    assert plan.lowercase is True
    assert plan.config == folder.config
    assert plan.vocabulary.tokens == folder.vocabulary.tokens
    assert not (folder.path / "run").exists()


def test_later_fields_leave_the_record_of_a_run_as_it_was(folder):
    later = {"mask_special_tokens", "teacher_dir", "generator_size"}
    later |= {"mimetic_initialization"}
    plan = plan_pretraining(folder.recipe("dynamic"))
    assert not later & {*plan.settings}
    plan = plan_pretraining(folder.recipe("dynamic", mask_special_tokens=True))
    assert later & {*plan.settings} == {"mask_special_tokens"}


def test_the_program_looks_at_its_files_before_keras(folder):
    recipe = folder.recipe()
    arguments = [f"--input_file={recipe.input_file[0]}"]
    for name in ("vocab_file", "bert_config_file", "output_dir"):
        arguments.append(f"--{name}={getattr(recipe, name)}")
    result = run_python("-c", _PROGRAM, *arguments, returncode=1)
    # The plan is valid and reaches Keras.
    assert "This program needs the package keras" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_casing_that_differs_is_an_error(folder):
    manifest = folder.write_manifest(
        "static-eval.tfrecord", do_lower_case=False
    )
    for given, message in ((True, "says true"), (None, "must be the same")):
        with pytest.raises(
            ValueError, match=f"`do_lower_case` {message}.*{manifest}"
        ):
            plan_pretraining(folder.recipe(do_lower_case=given))


def test_where_nothing_tells_the_casing_a_flag_is_needed(folder):
    folder.drop_manifests()
    with pytest.raises(ValueError, match="No file says.*lowercase=True"):
        plan_pretraining(folder.recipe(**_KNOWN))
    plan = plan_pretraining(folder.recipe(do_lower_case=False, **_KNOWN))
    assert plan.lowercase is False
    settings = folder.path / "tokenizer_config.json"
    settings.write_text(json.dumps({"do_lower_case": True}))
    assert plan_pretraining(folder.recipe(**_KNOWN)).lowercase is True


def test_the_vocabulary_of_the_records_sets_the_size_of_the_model(
    folder, caplog
):
    caplog.set_level("INFO")
    change_config(folder, vocab_size=30522)
    plan = plan_pretraining(folder.recipe())
    assert plan.config.vocab_size == len(folder.vocabulary)
    assert "uses vocab_size=17 from" in caplog.text
    assert "instead of 30522" in caplog.text
    folder.drop_manifests()
    with pytest.raises(
        ValueError,
        match='vocab_size=30522, 17 lines. Write "vocab_size": 17 into',
    ):
        plan_pretraining(folder.recipe(do_lower_case=True))
    change_config(folder, vocab_size=24)  # A padded table stays.
    plan = plan_pretraining(folder.recipe(do_lower_case=True, **_KNOWN))
    assert plan.config.vocab_size == 24


def test_a_share_that_cannot_be_reached_is_warned_of(folder, caplog):
    """A sequence has 16 tokens; the records allow 3 masks."""
    plan_pretraining(folder.recipe("dynamic"))
    assert "Increase `max_predictions_per_seq`" not in caplog.text
    plan_pretraining(folder.recipe("dynamic", masked_lm_prob=0.5))
    assert "=0.5 masks 8 of 16 tokens, but at most" in caplog.text


_DYNAMIC = {"masking": "dynamic", "mask_special_tokens": True}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_file": ["no.tfrecord"]}, "No file matches 'no.tfrecord'"),
        ({"eval_file": ["no.tfrecord"]}, "No file matches 'no.tfrecord'"),
        ({"vocab_file": None}, "Pass `init_checkpoint`, or both"),
        ({"max_seq_length": 12}, "`max_seq_length` says 12"),
        ({"objective": "mlm", "bert_config_file": "decoder.json"}, "decoder"),
        ({"bert_config_file": "short.json"}, "max_position_embeddings=8"),
        ({"output_dir": "."}, "must not be an input.*vocab.txt"),
        ({"output_dir": "vocab.txt/a"}, "vocab.txt.*cannot be written"),
        ({"output_dir": "full"}, "must be new, empty.*full"),
        (
            {"vocab_file": "other.txt"},
            "created with other.txt. Received: "
            ".*manifest-static-train.tfrecord.json says vocabulary=",
        ),
        ({"objective": "electra"}, "objective='electra' .*=static"),
        ({"objective": "plm"}, "objective='plm' .*=static"),
        ({"ngram": 2}, "need masking='dynamic'.*Received: ngram=2"),
        (
            {"objective": "electra_gdes", **_DYNAMIC},
            "special_tokens` must be False with objective='electra_gdes",
        ),
    ],
)
def test_mistakes_are_seen_before_any_work(
    folder, changes, message, monkeypatch
):
    monkeypatch.chdir(folder.path)
    (folder.path / "full").mkdir()
    (folder.path / "full" / "notes.txt").touch()
    swap_two_pieces(folder, "other.txt")
    for name, values in (
        ("decoder", {"is_decoder": True}),
        ("short", {"max_position_embeddings": 8}),
    ):
        config = dataclasses.replace(folder.config, **values)
        config.to_json(f"{name}.json")
    with pytest.raises(ValueError, match=message):
        plan_pretraining(folder.recipe(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"train_batch_size": 0}, "train_batch_size=0"),
        ({"num_warmup_steps": 100_000}, "num_warmup_steps=100000"),
        ({"num_train_steps": 0}, "num_train_steps=0"),
        ({"log_steps": 0}, "log_steps=0"),
        ({"eval_steps": -1}, "eval_steps=-1"),
        ({"save_checkpoints_steps": 0}, "save_checkpoints_steps=0"),
        ({"keep_checkpoint_max": 0}, "keep_checkpoint_max=0"),
        ({"steps_per_execution": 0}, "steps_per_execution=0"),
        ({"beta_2": 1.0}, "beta_2=1.0"),
        ({"objective": "clozes"}, "objective='clozes'"),
        (
            {"mimetic_initialization": True, "init_checkpoint": "bert"},
            "init_checkpoint='bert'",
        ),
        ({"generator_size": 0.25}, "generator_size=0.25"),
        ({"objective": "electra", "generator_size": 1.5}, "generator_size=1.5"),
        ({"teacher_dir": "teacher"}, "teacher_dir=teacher"),
        ({"objective": "distillation"}, "teacher_dir=None"),
    ],
)
def test_a_recipe_that_cannot_be_is_an_error_at_once(changes, message):
    with pytest.raises(ValueError, match=f"Received: {message}"):
        PretrainingRecipe([], "run", **changes)


@pytest.mark.parametrize(
    ("objective", "packing", "fitting"),
    [
        ("mlm_nsp", "full_sentences", "segment_pairs or sentence_pairs"),
        ("mlm_sop", "sentence_pairs", "sentence_order"),
        # Packed rows need the heads of one model.
        ("electra", "best_fit", ".*"),
        ("plm", "best_fit", ".*"),
    ],
)
def test_records_that_do_not_fit_an_objective_are_refused(
    folder, objective, packing, fitting
):
    masking = "dynamic" if packing == "best_fit" else "static"
    name = f"{masking}-train.tfrecord"
    manifest = folder.write_manifest(name, packing=packing)
    recipe = folder.recipe(masking, objective=objective)
    with pytest.raises(
        ValueError,
        match=f"created with packing={fitting}.* for objective={objective}. "
        f"Received: {manifest} says packing={packing}",
    ):
        plan_pretraining(recipe)


_MASKED = {"mlm", "mlm_sbo", "distillation"}


@pytest.mark.parametrize(
    ("name", "objectives"),
    [
        *((x, _MASKED) for x in ("roberta", "distilbert", "longformer")),
        *((x, _MASKED) for x in ("deberta", "mpnet", "xlm-roberta")),
        *((x, _MASKED | {"mlm_nsp"}) for x in ("big_bird", "ernie")),
        ("albert", _MASKED | {"mlm_sop"}),
        ("deberta-v2", _MASKED | {"electra_gdes"}),
        ("electra", _MASKED | {"electra"}),
        ("bert", _MASKED | {"mlm_nsp", "left_to_right"}),
        ("openai-gpt", {"left_to_right"}),
        ("xlnet", _MASKED | {"plm"}),
    ],
)
def test_a_family_is_trained_by_what_it_has_heads_for(folder, name, objectives):
    config = find_family(name).config(vocab_size=len(folder.vocabulary))
    for objective in OBJECTIVES:
        own = {x: y or "a" for x, y in OBJECTIVES[objective].fields.items()}
        recipe = folder.recipe(objective=objective, **own)
        arguments = recipe, config, folder.vocabulary, None
        if objective in objectives:
            resolve_model_config(*arguments)
            continue
        with pytest.raises(ValueError, match=f"supports: .*={objective}"):
            resolve_model_config(*arguments)


def test_a_checkpoint_must_be_of_the_vocabulary_of_the_records(
    folder, checkpoint
):
    plan = plan_pretraining(folder.continued(checkpoint))
    assert plan.config is None
    assert plan.lowercase is True
    assert plan.vocabulary.sha256 == folder.vocabulary.sha256
    with pytest.raises(ValueError, match="tokenizer_config.json says true"):
        plan_pretraining(folder.continued(checkpoint, do_lower_case=False))
    swap_two_pieces(folder)
    (checkpoint / "manifest.json").unlink(missing_ok=True)
    shutil.copy(folder.path / "vocab.txt", checkpoint)
    with pytest.raises(ValueError, match="created with .*bert/vocab.txt"):
        plan_pretraining(folder.continued(checkpoint))


def test_a_run_goes_on_if_files_have_moved(folder, tmp_path):
    begin(plan_pretraining(folder.recipe()))
    folder.path = folder.path.rename(tmp_path / "moved")
    plan_pretraining(folder.recipe(eval_file=None, log_steps=1))


def test_a_run_does_not_go_on_with_other_contents(folder):
    folder.drop_manifests()
    begin(plan_pretraining(folder.recipe(do_lower_case=True, **_KNOWN)))
    change_config(folder, hidden_dropout_prob=0.2)
    swap_two_pieces(folder)
    path, more = (
        folder.path / f"static-{x}.tfrecord" for x in ("train", "train2")
    )
    more.write_bytes(path.read_bytes())
    path.write_bytes(path.read_bytes()[::-1])
    changed = folder.recipe(
        do_lower_case=False, input_file=[str(path), str(more)], **_KNOWN
    )
    with pytest.raises(ValueError, match="Received: ") as caught:
        plan_pretraining(changed)
    for words in (
        "config: hidden_dropout_prob was 0.1, now 0.2",
        "vocabulary was '86130.*', now '",
        "do_lower_case was True, now False",
        "records: file 1 was '.*', now '",
        "records: file 2 was None, now '",
    ):
        assert re.search(words, str(caught.value))
    plan_pretraining(dataclasses.replace(changed, allow_changed_flags=True))


def test_a_run_does_not_go_on_from_another_checkpoint(folder, checkpoint):
    begin(plan_pretraining(folder.continued(checkpoint)))
    moved = checkpoint.rename(folder.path / "moved")
    plan_pretraining(folder.continued(moved))
    (moved / "manifest.json").unlink(missing_ok=True)
    path = moved / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match="checkpoint: model.safetensors was '.*', now '"
    ):
        plan_pretraining(folder.continued(moved))
