import json
import types

import keras
import pytest
from absl import flags

from keras_bert import command_line
from keras_bert.programs.fine_tuning import run_flags


@pytest.fixture
def parse(monkeypatch, tmp_path):
    """The flags of a command line, with an existing model to begin with."""
    (tmp_path / "bert").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / "bert" / name).write_text("{}")

    def parse(*words):
        values = flags.FlagValues()
        with monkeypatch.context() as patch:
            for kind in ("bool", "enum", "float", "integer", "string"):
                define = getattr(flags, f"DEFINE_{kind}")
                patch.setattr(
                    flags,
                    f"DEFINE_{kind}",
                    lambda *given, define=define, **more: define(
                        *given, flag_values=values, **more
                    ),
                )
            holders = run_flags.RunFlags()
        places = [f"--{x}={tmp_path / y}" for x, y in _PLACES.items()]
        values(["program", *places, *words])
        return holders

    yield parse
    keras.config.set_dtype_policy("float32")


_PLACES = {"init_dir": "bert", "output_dir": "out"}


class _Run:
    splits = types.SimpleNamespace(train=["an example"])

    def __init__(self, is_good=True):
        self._is_good = is_good

    def perform(self, recipes, directory, teacher_dir, num_layers):
        (directory / "run-1").mkdir(exist_ok=True)
        (directory / "run-1" / "trial.json").write_text("1")
        (directory / "eval.json").write_text("1")
        if not self._is_good:
            raise ValueError("stopped")
        self.recipes = recipes
        self.student = teacher_dir, num_layers
        self.policy = keras.config.dtype_policy().name
        return {"dev": {"f1": 0.5}}


def test_each_recipe_of_the_search_has_its_seeds(parse):
    recipes = parse("--search=paper", "--seeds=2").recipes()
    assert len(recipes) == 2 * 2 * 3 * 3
    assert [x.seed for x in recipes[:2]] == [12345, 12346]
    assert (
        len({(x.batch_size, x.learning_rate, x.epochs) for x in recipes}) == 18
    )
    assert len(parse().recipes()) == 1


def test_what_a_search_tries_cannot_be_given(parse):
    holders = parse("--search=paper", "--learning_rate=0.1")
    with pytest.raises(ValueError, match="--learning_rate is what --search"):
        holders.recipes()
    with pytest.raises(ValueError, match="--search is for x. .*=paper"):
        holders.refuse_training("is for x")


def test_what_is_for_students_needs_a_teacher(parse):
    with pytest.raises(ValueError, match="--temperature is for --teacher_dir"):
        parse("--temperature=3").recipes()
    with pytest.raises(ValueError, match="--num_layers is for x. .*=2"):
        parse("--num_layers=2").refuse_training("is for x")


def test_a_teacher_is_read_and_looked_for(parse, tmp_path):
    place = tmp_path / "teacher"
    holders = parse(f"--teacher_dir={place}", "--num_layers=2")
    with pytest.raises(ValueError, match="teacher"):
        holders.check_places([])
    place.mkdir()
    for name in ("config.json", "model.safetensors"):
        (place / name).write_text("{}")
    holders.check_places([])
    run = _Run()
    holders.perform(run, [])
    assert run.student == (str(place), 2)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert str(place) in str(manifest)


def test_arguments_are_those_of_from_pretrained(parse, tmp_path):
    assert parse("--max_seq_length=7", "--do_lower_case").arguments() == {
        "directory": str(tmp_path / "bert"),
        "seq_length": 7,
        "lowercase": True,
    }


def test_the_directory_has_its_name_when_all_is_there(parse, tmp_path):
    holders = parse("--precision=mixed_bfloat16")
    holders.check_places([None])
    with pytest.raises(ValueError, match="stopped"):
        holders.perform(_Run(is_good=False), [None])
    assert not (tmp_path / "out").exists()
    run = _Run()
    holders.perform(run, [None])
    assert run.policy == "mixed_bfloat16"
    assert [x.seed for x in run.recipes] == [12345]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [*manifest["files"]] == ["eval.json", "run-1/trial.json"]
    with pytest.raises(ValueError, match="out.* exists.*overwrite=True"):
        holders.check_places([])


def test_other_flags_data_or_weights_are_named(parse, tmp_path, monkeypatch):
    monkeypatch.setattr(
        command_line, "own_flags", lambda: {"learning_rate": rate}
    )
    rate, data = 0.1, tmp_path / "train.csv"
    data.write_text("1")
    with pytest.raises(ValueError, match="stopped"):
        parse("--precision=float32").perform(_Run(is_good=False), [str(data)])
    rate = 0.2
    with pytest.raises(ValueError, match="learning_rate was 0.1, now 0.2"):
        parse("--precision=float32").perform(_Run(), [str(data)])
    rate = 0.1
    data.write_text("2")
    with pytest.raises(ValueError, match="begins.*inputs: .*train.csv was '"):
        parse("--precision=float32").perform(_Run(), [str(data)])
    data.write_text("1")
    weights = tmp_path / "bert" / "model.safetensors"
    weights.write_text("{ }")
    with pytest.raises(ValueError, match="inputs: .*bert was '"):
        parse("--precision=float32").perform(_Run(), [str(data)])
    weights.write_text("{}")
    with pytest.raises(ValueError, match="policy was 'float32', now"):
        parse("--precision=mixed_bfloat16").perform(_Run(), [str(data)])
    parse("--precision=float32").perform(_Run(), [str(data)])
    assert (tmp_path / "out" / "eval.json").exists()


@pytest.mark.parametrize(
    ("num_cores", "words", "is_told"),
    [
        (2, [], True),
        (16, [], True),
        (1, [], False),
        (2, ["--parallel_parts=1"], False),
    ],
)
def test_cores_that_could_train_faster_are_told_of(
    parse, monkeypatch, caplog, num_cores, words, is_told
):
    monkeypatch.setattr(run_flags, "_num_cores", lambda: num_cores)
    # Whatever the machine of the test has.
    monkeypatch.setattr("tensorflow.config.list_physical_devices", lambda x: [])
    caplog.set_level("INFO", logger="absl")
    parse(*words).tell_of_cores()
    told = f"On {num_cores} cores --parallel_parts={num_cores} trains faster"
    assert (told in caplog.text) == is_told
