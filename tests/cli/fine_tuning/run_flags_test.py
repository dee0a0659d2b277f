import json
import shutil
import types

import keras
import pytest

from keras_bert.cli.fine_tuning import run_flags


@pytest.fixture
def parse(parsed, tmp_path):
    """Parse the flags of a command line with an existing initial model."""
    (tmp_path / "bert").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / "bert" / name).write_text("{}")

    def parse(*words):
        places = [f"--{x}={tmp_path / y}" for x, y in _PLACES.items()]
        return parsed(run_flags.RunFlags, [*places, *words])

    yield parse
    keras.config.set_dtype_policy("float32")


_PLACES = {"init_dir": "bert", "output_dir": "out"}


class _Run:
    splits = types.SimpleNamespace(train=["an example"])

    def __init__(self, is_good):
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


def _perform(holders, inputs=(), is_good=True):
    """Perform a run and return it."""
    run = _Run(is_good)

    def make(splits, arguments):
        assert splits == "splits of 12345"
        run.arguments = arguments
        return run

    holders.run(inputs, lambda seed: f"splits of {seed}", make)
    return run


def test_each_recipe_of_the_search_has_its_seeds(parse):
    recipes = parse("--search=paper", "--seeds=2").recipes()
    assert len(recipes) == 2 * 2 * 3 * 3
    assert [x.seed for x in recipes[:2]] == [12345, 12346]
    tried = {(x.batch_size, x.learning_rate, x.epochs) for x in recipes}
    assert len(tried) == 18
    assert len(parse().recipes()) == 1


def test_a_teacher_is_an_input(parse, tmp_path):
    place = tmp_path / "teacher"
    holders = parse(f"--teacher_dir={place}", "--num_layers=2")
    with pytest.raises(ValueError, match="teacher"):
        _perform(holders)
    shutil.copytree(tmp_path / "bert", place)
    assert _perform(holders).student == (str(place), 2)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert str(place) in str(manifest)


def test_the_directory_has_its_name_when_all_is_there(parse, tmp_path):
    holders = parse(
        "--precision=mixed_bfloat16", "--max_seq_length=7", "--do_lower_case"
    )
    with pytest.raises(ValueError, match="stopped"):
        _perform(holders, [None], is_good=False)
    assert not (tmp_path / "out").exists()
    run = _perform(holders, [None])
    assert run.policy == "mixed_bfloat16"
    assert [x.seed for x in run.recipes] == [12345]
    assert run.arguments == {
        "directory": str(tmp_path / "bert"),
        "seq_length": 7,
        "lowercase": True,
    }
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [*manifest["files"]] == ["eval.json", "run-1/trial.json"]
    with pytest.raises(ValueError, match="out.* exists.*overwrite=True"):
        _perform(holders)


def test_other_flags_data_or_weights_are_named(parse, tmp_path):
    data = tmp_path / "train.csv"
    weights = tmp_path / "bert" / "model.safetensors"
    data.write_text("1")
    with pytest.raises(ValueError, match="stopped"):
        _perform(parse(*_words(0.1)), [str(data)], is_good=False)
    for rate, text, held, precision, message in (
        (0.2, "1", "{}", "float32", "learning_rate was 0.1, now 0.2"),
        (0.1, "2", "{}", "float32", "starts.*inputs: .*train.csv was '"),
        (0.1, "1", "{ }", "float32", "inputs: .*bert was '"),
        (0.1, "1", "{}", "mixed_bfloat16", "policy was 'float32', now"),
    ):
        data.write_text(text)
        weights.write_text(held)
        with pytest.raises(ValueError, match=message):
            _perform(parse(*_words(rate, precision)), [str(data)])
    _perform(parse(*_words(0.1)), [str(data)])
    assert (tmp_path / "out" / "eval.json").exists()


def _words(rate, precision="float32"):
    return [f"--learning_rate={rate}", f"--precision={precision}"]
