import json
import os
import pathlib

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import read_elmo
from keras_bert.text import Preprocessor
from tests.golden import make_elmo_golden

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
# tests/fixtures/model of allenai/bilm-tf, with sentences.json.
_FIXTURE = pathlib.Path(os.environ.get("KERAS_BERT_ELMO_FIXTURE", "missing"))


@pytest.fixture
def golden():
    with np.load(_GOLDEN / "elmo.npz") as arrays:
        return dict(arrays)


@pytest.fixture
def files(elmo_files):
    """Return the paths of the options and the weights."""
    return elmo_files / "options.json", elmo_files / "weights.hdf5"


def _packed(elmo, texts, width):
    return Preprocessor(elmo.tokenizer, elmo.family.template, width)(texts)


def read_batches(elmo, batches):
    """Yield the states and lengths of each batch; carry the LSTM state."""
    options, tokenizer = elmo.config, elmo.tokenizer
    sizes = {"state": options.projection_dim, "cell": options.dim}
    carried = {
        name: tf.zeros([len(batches[0]), 2 * options.n_layers, size])
        for name, size in sizes.items()
    }
    for texts in batches:
        width = int(tokenizer(texts).bounding_shape()[1]) + 2
        rows = _packed(elmo, texts, width)
        outputs = elmo.encoder({**rows, **carried})
        carried = {name: outputs[name] for name in sizes}
        lengths = rows["input_mask"].numpy().sum(axis=1)
        states = outputs["states"].numpy()
        yield (
            [x[:n] for x, n in zip(states, lengths, strict=True)],
            {name: x.numpy() for name, x in carried.items()},
        )


def test_states_are_those_of_the_twin_with_the_state_carried(golden, files):
    batches = make_elmo_golden.BATCHES
    found = read_batches(read_elmo(*files), batches)
    for number, (rows, ends) in enumerate(found):
        for row, states in enumerate(rows):
            expected = golden[f"states/{number}/{row}"]
            np.testing.assert_allclose(states, expected, atol=1e-5)
    for name, values in ends.items():
        np.testing.assert_allclose(values, golden[name], atol=1e-5)


def test_the_states_of_a_backbone_begin_each_text_anew(files):
    elmo = read_elmo(*files)
    model = keras.Model(elmo.backbone.inputs, elmo.backbone.states)
    for texts in make_elmo_golden.BATCHES:
        rows = _packed(elmo, texts, 9)
        found = np.stack([x.numpy() for x in model(rows)], axis=2)
        ((expected, _),) = read_batches(elmo, [texts])
        for states, row in zip(found, expected, strict=True):
            np.testing.assert_allclose(states[: len(row)], row, atol=1e-6)


@pytest.mark.skipif(
    not _FIXTURE.is_dir(), reason="$KERAS_BERT_ELMO_FIXTURE is no directory"
)
def test_states_are_those_of_the_original_implementation():
    elmo = read_elmo(_FIXTURE / "options.json", _FIXTURE / "lm_weights.hdf5")
    columns = json.loads((_FIXTURE / "sentences.json").read_text())
    expected = [
        h5py.File(_FIXTURE / f"lm_embeddings_{i}.hdf5") for i in (0, 1, 2)
    ]
    found = read_batches(elmo, [*zip(*columns, strict=True)])
    for number, (rows, _) in enumerate(found):
        for states, file in zip(rows, expected, strict=True):
            both = np.concatenate(file[str(number)][()], axis=-1)
            np.testing.assert_allclose(states[1:-1, -1], both, atol=1e-5)
    [file.close() for file in expected]


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda file: file.pop("CNN_proj/b_proj"), r"\(4,\), found none"),
        (lambda file: file.create_dataset("extra", (3,)), "expected none"),
        (lambda file: _put(file, "char_embed", (261, 9)), r"found \(261, 9\)"),
        (lambda file: _link(file, "CNN_proj/b_proj"), "found none"),
        (lambda file: _outside(file, "CNN_proj/b_proj"), "found none"),
    ],
)
def test_weights_that_do_not_fit_are_an_error(files, change, message):
    options, weights = files
    with h5py.File(weights, "r+") as file:
        change(file)
    with pytest.raises(CheckpointError, match=f"weights.hdf5.*{message}"):
        read_elmo(options, weights)


def _put(file, name, shape):
    del file[name]
    file.create_dataset(name, shape)


def _link(file, name):
    del file[name]
    file[name] = h5py.ExternalLink("/etc/other.hdf5", name)


def _outside(file, name):
    del file[name]
    place = [("/etc/hostname", 0, 16)]
    file.create_dataset(name, (4,), "float32", external=place)


def test_files_that_cannot_be_read_are_an_error(files):
    options, weights = files
    for pair in (
        (options, options),
        (weights, weights),
        (options.with_name("missing.json"), weights),
    ):
        with pytest.raises(CheckpointError, match=pair[0].name):
            read_elmo(*pair)
    good = make_elmo_golden.OPTIONS
    wrong = {"filters": [[2]]}, {"filters": [["a", 2]]}, {"activation": "soft"}
    words = [{"char_cnn": {**good["char_cnn"], **change}} for change in wrong]
    for change in ({"lstm": None}, *words):
        options.write_text(json.dumps({**good, **change}))
        with pytest.raises(CheckpointError, match="options.json"):
            read_elmo(options, weights)
