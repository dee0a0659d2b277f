import json

import numpy as np
import pytest

from keras_bert.files.manifest import read_manifest
from keras_bert.tasks.features import stored_states as module
from keras_bert.tasks.features.model import states_of_layers
from keras_bert.tasks.features.stored_states import encoder_settings
from keras_bert.tasks.features.stored_states import stored_states
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.text.preprocessor import Preprocessor

_TEXTS = [b"the dog eats", b"a", b"the cat sees the fish", b"seeds ."]


@pytest.fixture
def bert(make_bert):
    return make_bert(num_hidden_layers=2)


@pytest.fixture
def store(bert, tmp_path):
    """Return a function that stores the states of some texts."""

    def run(texts=_TEXTS, layers=(1, 2), seq_length=12, model=bert):
        preprocess = Preprocessor(
            model.tokenizer, model.family.template, seq_length
        )
        return stored_states(
            states_of_layers(model.backbone, layers),
            tokenized_rows(preprocess, texts),
            encoder_settings(model, preprocess, layers),
            tmp_path,
        )

    return run


def _stored(directory):
    return sorted(directory.glob("states-*.npy"))


@pytest.mark.parametrize("rows_at_once", [3, 1024])
def test_each_real_token_has_the_states_of_its_layers(
    bert, store, monkeypatch, rows_at_once
):
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", rows_at_once)
    states = store()
    assert isinstance(states, np.memmap) and states.dtype == np.float16
    preprocess = Preprocessor(bert.tokenizer, bert.family.template, 12)
    expected = []
    for text in _TEXTS:
        inputs = preprocess([text])
        layers = bert.backbone.states_model()(inputs)
        length = inputs["input_mask"].numpy().sum()
        both = [np.array(layers[name][0, :length]) for name in ("1", "2")]
        expected.append(np.stack(both, axis=1))
    expected = np.concatenate(expected)
    assert states.shape == expected.shape
    np.testing.assert_allclose(states, expected, rtol=2e-3, atol=2e-3)


def test_what_is_there_is_not_computed_again(store, monkeypatch):
    first = np.array(store())
    monkeypatch.setattr(module, "_write", _fail)
    np.testing.assert_array_equal(store(), first)
    with pytest.raises(AssertionError):
        store(layers=(1,))


def _fail(*arguments):
    raise AssertionError("States are computed.")


def test_other_content_has_another_file(store, make_bert, tmp_path):
    store()
    changes = (
        {"texts": [*_TEXTS[:3], b"seeds and"]},
        {"texts": _TEXTS[::-1]},
        {"layers": (2, 1)},
        {"seq_length": 11},
        {"model": make_bert(num_hidden_layers=2)},
    )
    for count, change in enumerate(changes, 2):
        store(**change)
        assert len(_stored(tmp_path)) == count, change
    store()
    assert len(_stored(tmp_path)) == count


def test_the_manifest_tells_what_the_states_are_of(store, tmp_path):
    store()
    (path,) = _stored(tmp_path)
    record = read_manifest(tmp_path / f"manifest-{path.name}.json")["states"]
    expected = {"layers": [1, 2], "seq_length": 12, "truncation": "head"}
    expected |= {"rows": 4, "compute_dtype": "float32"}
    assert {name: record[name] for name in expected} == expected
    assert record["config"]["hidden_size"] == 16


def test_a_file_that_is_not_ours_or_was_altered_is_refused(store, tmp_path):
    store()
    (path,) = _stored(tmp_path)
    manifest = tmp_path / f"manifest-{path.name}.json"
    data, record = path.read_bytes(), json.loads(manifest.read_text())
    path.write_bytes(data[:-1] + b"\1")
    with pytest.raises(ValueError, match=f"{path.name} has changed"):
        store()
    path.write_bytes(data)
    manifest.write_text(json.dumps({**record, "states": {}}))
    for _ in range(2):  # With another manifest, then without one.
        with pytest.raises(ValueError, match=f"{path.name}.*no matching mani"):
            store()
        manifest.unlink(missing_ok=True)
    assert path.read_bytes() == data


def test_states_that_are_no_numbers_are_an_error(bert, store, tmp_path):
    weight = bert.backbone.blocks[0].weights[0]
    weight.assign(np.full(weight.shape, np.nan))
    with pytest.raises(ValueError, match="must be finite"):
        store()
    assert [*tmp_path.iterdir()] == []
