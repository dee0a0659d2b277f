"""Tasks on JAX and PyTorch without TensorFlow, and on two devices."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert import tasks
from keras_bert.checkpoints import PretrainedModel
from tests import tiny
from tests.tasks import on_backend
from tests.tasks.cases import CASES
from tests.tasks.cases import Case

_ROOT = pathlib.Path(__file__).parents[2]
_MATCHES = [["the dog", "meat"], ["a cat", "fish"], ["a bird", "seeds"]]
_POOLINGS = ["cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
_CLOSE = {"rtol": 1e-5, "atol": 1e-5}
# Adam amplifies the last digits of small gradients.
_LEARNED = {"rtol": 1e-3, "atol": 1e-3}
_PROGRAM = """
import sys
sys.modules["tensorflow"] = sys.modules["tensorflow_text"] = None
from tests.tasks import on_backend
on_backend.main(sys.argv[1])
"""
_EMBEDDER = {"pooling": _POOLINGS, "truncate_dim": 65}
_SEVERAL = {
    "pairs": _MATCHES,
    "scored": [_MATCHES, [0.1, 0.5, 0.9]],
    "triplets": [[*pair, "a"] for pair in _MATCHES],
}
_WEIGHTS = [1.0 + index / 9 for index in range(18)]
_MASKS = ["the [MASK]", "a [MASK] sees a [MASK]."]
_CASES = {
    **CASES,
    "gpt": CASES["classifier"],
    "embedder": Case("TextEmbedder", _EMBEDDER, (_MATCHES,)),
    "late": Case("LateInteractionEmbedder", {"query_length": 8}, (_MATCHES,)),
    "masks": Case("FillMask", {}, (), _MASKS),
    "several": Case("TextEmbedder", {}, (_SEVERAL,)),
    "sparse": Case("SparseEmbedder", {"query_weights": _WEIGHTS}, (_MATCHES,)),
}
# A program runs several cases, because importing a backend takes seconds.
_GROUPS = [
    "masks",
    "classifier embedder sparse several",
    "windows regressor ranker",
    "tagger answerer late",
    "chooser features gpt",
]


def _run(program, *arguments, **environment):
    result = subprocess.run(
        [sys.executable, *program, *arguments],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_ROOT), **environment},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def _encoder(name):
    bert = tiny.make_bert(max_position_embeddings=20)
    if name != "gpt":
        return bert
    config = tiny.config("openai-gpt", V=bert.config.vocab_size)
    return PretrainedModel.from_config(config, bert.tokenizer_settings)


@pytest.mark.smoke("masks-jax")
@pytest.mark.parametrize(
    "backend",
    # Torch is only installed for the parity tests.
    ["jax", pytest.param("torch", marks=pytest.mark.parity)],
)
@pytest.mark.parametrize("names", _GROUPS)
def test_a_backend_without_tensorflow_learns_the_same(backend, names, tmp_path):
    cases = {}
    for name in names.split():
        kind, options, examples, texts = _CASES[name]
        cases[name] = {"kind": kind, "texts": texts, "examples": examples}
        task = getattr(tasks, kind)(_encoder(name), **options)
        if kind == "FillMask":
            save_pretrained(task.pretrained, tmp_path / name)
        else:
            task.save(tmp_path / name)
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    _run(
        ["-c", _PROGRAM],
        str(tmp_path),
        KERAS_BACKEND=backend,
        JAX_PLATFORMS="cpu",
        # Compiling takes most of the time. With level 0, XLA computes a state
        # twice with different last digits, and the gradient of max is wrong.
        XLA_FLAGS="--xla_backend_optimization_level=1",
    )
    found = json.loads((tmp_path / "found.json").read_text())
    for name, case in cases.items():
        if case["examples"]:
            directory = on_backend.learned(tmp_path / name)
            task = getattr(tasks, case["kind"]).from_pretrained(directory)
            read = on_backend.outputs(task, case["texts"])
            np.testing.assert_allclose(read, found[name]["learned"], **_CLOSE)
        if name == "gpt":  # Its head has dropout.
            continue
        expected = on_backend.results(tmp_path / name, case)
        assert {*found[name]} == {*expected}
        for key, values in expected.items():
            close = _LEARNED if key == "learned" else _CLOSE
            np.testing.assert_allclose(found[name][key], values, **close)


@pytest.mark.exhaustive
def test_two_devices_learn_what_one_does():
    found = _run([str(pathlib.Path(__file__).parent / "two_devices.py")])
    found = json.loads(found.splitlines()[-1])
    assert found["replicas"] == 2
    # Adam amplifies the last digits of small gradients.
    assert found["weights"] < 2e-4
    assert found["moved"] > 5e-3
    one, two = found["accuracies"]
    assert one == two > 0.8
