"""Every task as in a server: both loaders, text and ids, hard strings."""

import json
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from keras_bert import tasks
from keras_bert.export import export_saved_model
from keras_bert.export.saved_model.served_ops import check_ops
from tests.export.conftest import TASKS
from tests.export.conftest import columns

_NAMES = [name for name in TASKS if name != "generator"]

_TEXTS = [
    "the dog eats [MASK] .",
    "",
    "a " * 5000,
    "\N{DOG FACE} the dog",
    "\u4e2d\u6587 the",
    "a\0b cat",
    b"\xff\xfe dog",
    "the cat sees a bird and a dog eats fish . " * 2,
]
_TEXTS = [x.encode() if isinstance(x, str) else x for x in _TEXTS]


# TensorFlow Serving uses the loader of version 1. Outputs by export, loader
# and signature.
_SERVER = """
import pickle, sys
import numpy as np
import tensorflow as tf
import tensorflow_text

def by_session(directory, requests):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], directory)
        for name, inputs in requests.items():
            signature = loaded.signature_def[name]
            yield name, session.run(
                {n: x.name for n, x in signature.outputs.items()},
                {signature.inputs[n].name: x for n, x in inputs.items()},
            )

def by_functions(directory, requests):
    signatures = tf.saved_model.load(directory).signatures
    for name, inputs in requests.items():
        inputs = {n: tf.constant(x) for n, x in inputs.items()}
        outputs = signatures[name](**inputs)
        yield name, {n: x.numpy() for n, x in outputs.items()}

answers = {
    (export, loader.__name__): dict(loader(directory, requests))
    for export, (directory, requests) in pickle.load(sys.stdin.buffer).items()
    for loader in (by_session, by_functions)
}
assert not [name for name in sys.modules if name.startswith("keras_bert")]
pickle.dump(answers, sys.stdout.buffer)
"""


@pytest.fixture(scope="module")
def exported(request, make_bert, tmp_path_factory):
    """Return the tested tasks and the directories of their SavedModels."""
    names = {"embedder", "tagger"}
    for item in request.session.items:
        if item.path == request.path and hasattr(item, "callspec"):
            names |= {item.callspec.params.get("name", "tagger")}
    bert = make_bert(max_position_embeddings=40)
    folder = tmp_path_factory.mktemp("served")
    made = {name: TASKS[name](bert) for name in sorted(names)}
    for name, task in made.items():
        # A small batch, so that these texts need several.
        export_saved_model(task, folder / name, batch_tokens=64)
    return {name: (task, folder / name / "1") for name, task in made.items()}


@pytest.fixture(scope="module")
def answers(exported, tmp_path_factory):
    """Return all outputs computed in a process without keras_bert."""
    requests = {}
    for name, (task, directory) in exported.items():
        texts = columns(task, _TEXTS)
        inputs = task.preprocess(*map(tf.constant, texts.values()))
        ids = {name: inputs[name].numpy() for name in task.input_names}
        requests[name] = (
            str(directory),
            {"serving_default": texts, "tokens": texts, "ids": ids},
        )
    result = subprocess.run(
        [sys.executable, "-c", _SERVER],
        input=pickle.dumps(requests),
        cwd=tmp_path_factory.mktemp("elsewhere"),
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
    )
    assert result.returncode == 0, result.stderr.decode()
    return pickle.loads(result.stdout)


@pytest.mark.smoke("answerer", "chooser", "tagger", "embedder")
@pytest.mark.parametrize("loader", ["by_session", "by_functions"])
@pytest.mark.parametrize("name", _NAMES)
def test_a_server_answers_as_python(exported, answers, name, loader):
    task, _ = exported[name]
    texts = [tf.constant(x) for x in columns(task, _TEXTS).values()]
    inputs = task.preprocess(*texts)
    ids = {name: inputs[name] for name in task.input_names}
    is_token = inputs["input_mask"].numpy() > 0
    expected = {
        "serving_default": task.predict_texts(*texts),
        "tokens": ids,
        "ids": task.predict_ids(ids),
    }
    for signature, outputs in answers[name, loader].items():
        assert {*outputs} == {*expected[signature]}
        for output, values in outputs.items():
            wanted = expected[signature][output].numpy()
            assert values.shape == wanted.shape
            # Outputs at padding are undefined.
            if wanted.shape[:2] == is_token.shape:
                values, wanted = values[is_token], wanted[is_token]
            if wanted.dtype == object:
                assert values.tolist() == wanted.tolist()
            else:
                np.testing.assert_allclose(values, wanted, atol=1e-5)


def test_answers_do_not_depend_on_the_other_texts(exported):
    _, directory = exported["embedder"]
    embed = tf.saved_model.load(str(directory)).signatures["serving_default"]
    texts = [f"the {'dog ' * (index * 7 % 30)}" for index in range(40)]
    together = embed(text=tf.constant(texts))["embedding"]
    alone = [embed(text=tf.constant([text]))["embedding"][0] for text in texts]
    np.testing.assert_allclose(together, alone, atol=1e-5)


# Highest values and bad values of one id among ones.
_BAD_IDS = {
    "input_ids": (17, (-5, 18, -(2**31))),
    "input_mask": (1, (-1, 7)),
    "segment_ids": (1, (-1, 2)),
}


@pytest.mark.parametrize("name", ["answerer", "chooser"])
def test_bad_ids_are_refused(exported, name):
    task, directory = exported[name]
    ids = tf.saved_model.load(str(directory)).signatures["ids"]
    shape = (2, 2, 9) if name == "chooser" else (2, 9)
    good = {name: np.ones(shape, "int32") for name in task.input_names}
    ids(**{name: tf.constant(x) for name, x in good.items()})
    longest = task.preprocess.seq_length
    cases = [
        ({"input_mask": good["input_mask"][..., :4]}, "the shape of input_ids"),
        ({"input_mask": good["input_mask"][:1]}, "the shape of input_ids"),
    ]
    for length in (0, longest + 1):
        rows = {n: np.resize(x, (*shape[:-1], length)) for n, x in good.items()}
        cases.append((rows, f"1 to {longest} tokens"))
    for key, (highest, values) in _BAD_IDS.items():
        for value in values:
            bad = good[key].copy()
            bad[..., 0] = value
            message = f"{key} must be from 0 to {highest}. Received.*{value}"
            cases.append(({key: bad}, message))
    for changes, message in cases:
        rows = {n: tf.constant(x) for n, x in {**good, **changes}.items()}
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            ids(**rows)


@pytest.mark.parametrize(
    "name, shapes, complaint",
    [
        ("answerer", (3, 2), "question and context must have equal .*3 2"),
        ("chooser", (3, (2, 2)), "text and choices must have equal .*3 2"),
        ("chooser", (2, (2, 0)), "row of choices must not be empty.*2 0"),
    ],
)
def test_texts_that_do_not_go_together_are_refused(
    exported, name, shapes, complaint
):
    task, directory = exported[name]
    answer = tf.saved_model.load(str(directory)).signatures["serving_default"]
    texts = {n: tf.fill(s, "a") for n, s in zip(task.text_inputs, shapes)}
    with pytest.raises(tf.errors.InvalidArgumentError, match=complaint):
        answer(**texts)


def test_weights_in_bfloat16_are_constants_stored_in_it(narrow_bert, tmp_path):
    task = tasks.TextEmbedder(narrow_bert)
    export_saved_model(task, tmp_path)
    expected = task.predict_texts(tf.constant(_TEXTS))["embedding"]
    assert _num_bytes(tmp_path) < 0.9 * 4 * task.model.count_params()
    assert _weights_of_products(tmp_path / "1") == {"Const"}
    served = tf.saved_model.load(str(tmp_path / "1"))
    values = served.signatures["serving_default"](text=tf.constant(_TEXTS))
    np.testing.assert_allclose(values["embedding"], expected, atol=0.05)


def test_weights_in_float32_are_stored_once_and_outside_the_graph(exported):
    task, directory = exported["embedder"]
    num_bytes = 4 * task.model.count_params()
    assert num_bytes <= _num_bytes(directory / "variables") < 1.5 * num_bytes
    assert _weights_of_products(directory) == {"ReadVariableOp"}


def test_releases_before_know_all_attributes_of_variables(exported):
    _, directory = exported["embedder"]
    nodes = [n for n in _graph_def(directory).node if n.op == "VarHandleOp"]
    assert nodes
    known = {"container", "shared_name", "dtype", "shape", "allowed_devices"}
    for node in nodes:
        assert {x for x in node.attr if x[0] != "_"} <= known


def test_functions_contain_each_small_constant_once(exported):
    _, directory = exported["tagger"]
    for function in _graph_def(directory).library.function:
        nodes = [node for node in function.node_def if node.op == "Const"]
        values = [str(x.attr["value"]) for x in nodes if x.ByteSize() < 1000]
        assert len({*values}) == len(values)


def _num_bytes(directory):
    return sum(p.stat().st_size for p in directory.rglob("*") if p.is_file())


def _weights_of_products(directory):
    """Return the ops that compute the second factors of all matrix products.

    TensorFlow packs a constant once, but other matrices at every call.
    """
    kinds = set()
    for function in _graph_def(directory).library.function:
        ops = {node.name: node.op for node in function.node_def}
        kinds |= {
            ops[node.input[1].split(":")[0]]
            for node in function.node_def
            if node.op == "MatMul"
        }
    return kinds


def _graph_def(directory):
    content = (directory / "saved_model.pb").read_bytes()
    found = saved_model_pb2.SavedModel.FromString(content)
    return found.meta_graphs[0].graph_def


def test_nothing_in_it_tells_of_this_machine(exported):
    for _, directory in exported.values():
        for path in directory.rglob("*"):
            if path.is_file():
                for place in (pathlib.Path.home(), pathlib.Path.cwd()):
                    assert str(place).encode() not in path.read_bytes()


@pytest.mark.smoke("answerer", "chooser", "tagger", "embedder")
@pytest.mark.parametrize("name", _NAMES)
def test_the_manifest_tells_of_ops_and_signatures(exported, name):
    task, directory = exported[name]
    manifest = json.loads((directory / "export_manifest.json").read_text())
    assert manifest["task"] == type(task).__name__
    assert manifest["settings"].get("labels") == getattr(task, "labels", None)
    assert {*manifest["text_ops"]} == {
        "FastBertNormalize",
        "FastWordpieceTokenizeWithOffsets",
    }
    assert "MatMul" in manifest["core_ops"]
    assert all(hasattr(tf.raw_ops, op) for op in manifest["core_ops"])
    assert manifest["least_tensorflow_serving"] == "2.12"
    signature = manifest["signatures"]["serving_default"]
    assert [*signature["inputs"]] == [*task.text_inputs]
    first = signature["inputs"][task.text_inputs[0]]
    assert first == {"dtype": "string", "shape": [None]}


def test_an_op_that_a_server_may_lack_is_refused():
    with tf.Graph().as_default() as graph:
        tf.strings.lower(tf.constant("A"))
    with pytest.raises(ValueError, match=r"Received: \['StringLower'\]"):
        check_ops(graph.as_graph_def(), "wordpiece")
