"""No request with wrong shapes ends the process of an exported model."""

import json
import subprocess
import sys

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.export import export_onnx
from keras_bert.export import export_saved_model
from keras_bert.export import export_tflite
from tests import tiny
from tests.export.conftest import OF_FEATURES
from tests.export.conftest import TASKS

_WITH_SPANS = ("answerer", "fill_mask", "tagger")
_MODELS = ("albert", "bert", "openai-gpt", "roberta", "xlm-roberta")


def _tflite(task, path, file):
    export_tflite(task, path, "float32", files=[file], force=True)


_EXPORTS = {
    "ids.tflite": lambda task, path: _tflite(task, path, "ids"),
    "onnx": export_onnx,
    "packed.onnx": lambda task, path: export_onnx(task, path, packed=True),
    "saved_model": export_saved_model,
    "text.tflite": lambda task, path: _tflite(task, path, "text"),
}


def _exists(export, model, task):
    """Return whether this export exists."""
    if model == "openai-gpt" or task in ("generator", "several"):
        known = ("openai-gpt", "generator"), ("openai-gpt", "embedder")
        return export == "saved_model" and (model, task) in known
    if export == "saved_model":
        return True
    if export.endswith("onnx"):
        return task != "fill_mask"
    # The spans and the masks of XLM-RoBERTa need ops that TFLite lacks.
    unknown = {"roberta": TASKS, "xlm-roberta": _WITH_SPANS}.get(model, ())
    has_text = export == "ids.tflite" or task not in unknown
    return task not in OF_FEATURES and has_text


_CASES = [
    (export, model, task)
    for export in _EXPORTS
    for model in _MODELS
    for task in TASKS
    if _exists(export, model, task)
]

# Like a server, feed tensors without checking their shapes.
_SERVER = """
import collections, itertools, json, math, sys
import numpy as np
TEXTS = [(), (0,), (1,), (2,), (1, 0), (0, 0), (0, 3), (1, 1), (2, 1), (2, 2)]
TEXTS += [(1, 1, 1), (0, 0, 0)]
IDS = [(), (0,), (1,), (5,), (1, 0), (0, 0), (0, 5), (1, 1), (1, 5), (2, 1)]
IDS += [(2, 5), (5, 2), (2, 30), (1, 1, 5), (2, 0, 5), (2, 2, 5), (2, 2, 0)]
IDS += [(0, 2, 5), (1, 1, 1, 5)]

def signatures(export, path):
    if export == "saved_model":
        import tensorflow as tf, tensorflow_text
        loaded = tf.saved_model.load(path + "/1")
        for name, signature in loaded.signatures.items():
            (_, specs) = signature.structured_input_signature
            ranks = {n: spec.shape.rank for n, spec in specs.items()}
            def run(*values, signature=signature):
                return signature(**dict(zip(ranks, map(tf.constant, values))))
            yield ranks, name != "ids", run
    elif export.endswith("onnx"):
        import onnxruntime as ort
        ort.set_default_logger_severity(4)
        session = ort.InferenceSession(path + "/model.onnx")
        ranks = {x.name: len(x.shape) for x in session.get_inputs()}
        yield ranks, False, lambda *values: session.run(
            None, {n: x.astype("int64") for n, x in zip(ranks, values)})
    else:
        from keras_bert.export.tflite.comparison import signature_runner
        has_text, file = export == "text.tflite", f"_{export}"
        content = open(path.replace(".tflite", file), "rb").read()
        run = signature_runner(content, has_text)
        ranks = {n: len(x["shape_signature"])
                 for n, x in run.get_input_details().items()}
        yield ranks, has_text, lambda *x: run(**dict(zip(ranks, x)))

def is_right(ranks, has_text, shapes):
    count = shapes[0][:1]
    if not has_text:
        (first, *_) = shapes
        return all(len(s) == r and s == first and all(s[1:]) and s[-1] <= 12
                   for s, r in zip(shapes, ranks.values()))
    return all(len(s) == r and s[:1] == count and (len(s) < 2 or s[1])
               for s, r in zip(shapes, ranks.values()))

def mixes(ranks, has_text):
    if has_text:
        return itertools.product(TEXTS, repeat=len(ranks))
    good = [(2, 5) if rank == 2 else (2, 2, 5) for rank in ranks.values()]
    one_other = [[*good[:n], s, *good[n + 1 :]]
                 for n in range(len(good)) for s in IDS]
    return [[s] * len(good) for s in IDS] + one_other

def filled(shape, has_text):
    if has_text:
        return np.full(shape, b"word1 word2", object)
    return np.ones(shape, np.int32)

def outcomes(ranks, has_text, run):
    found = collections.defaultdict(list)
    for shapes in mixes(ranks, has_text):
        wanted = "right" if is_right(ranks, has_text, shapes) else "wrong"
        if len({*map(math.prod, shapes)}) > len({*ranks.values()}):
            wanted = "unequal"
        try:
            run(*(filled(shape, has_text) for shape in shapes))
            outcome = "answered"
        except Exception as error:
            outcome = type(error).__name__
        found[wanted + " " + outcome].append(shapes)
    return [*ranks], found

for line in sys.stdin:
    found = [outcomes(*each) for each in signatures(*line.split())]
    print(json.dumps(found), flush=True)
"""
_REFUSALS = {
    "packed.onnx": {"InvalidArgument", "Fail", "RuntimeException"},
    "onnx": {"InvalidArgument", "Fail", "RuntimeException"},
    "saved_model": {"InvalidArgumentError"},
}


@pytest.fixture(scope="module")
def ask():
    """Return a function that feeds an export in a separate process.

    All exports share a process, because importing TensorFlow takes longer than
    most exports.
    """
    processes = []
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}

    def ask(export, path):
        if not processes or processes[-1].poll() is not None:
            command = [sys.executable, "-c", _SERVER]
            processes.append(subprocess.Popen(command, text=True, **pipes))
        print(export, path, file=processes[-1].stdin, flush=True)
        line = processes[-1].stdout.readline()
        assert line, f"the process ended with {processes[-1].wait()}"
        return json.loads(line)

    yield ask
    for process in processes:
        process.communicate()


@pytest.mark.smoke("saved_model-bert-of_pairs")
@pytest.mark.parametrize("export, model, task", _CASES)
def test_wrong_shapes_are_refused_and_the_process_lives(
    export, model, task, ask, make_settings_of, tmp_path
):
    settings = make_settings_of(model)
    config = tiny.config(model, V=len(settings.vocabulary), L=1)
    pretrained = PretrainedModel.from_config(config, settings)
    path = tmp_path / "model.tflite"
    _EXPORTS[export](TASKS[task](pretrained), path)
    refusals = _REFUSALS.get(export, {"RuntimeError", "ValueError"})
    allowed = {"right answered"}
    allowed |= {
        f"{x} {name}" for x in ("wrong", "unequal") for name in refusals
    }
    if task == "generator":  # It rejects requests without rows.
        allowed.add("right InvalidArgumentError")
    if export != "saved_model":  # Without assertions, some requests succeed.
        allowed.add("wrong answered")
    signatures = ask(export, path)
    assert len(signatures) == (3 if export == "saved_model" else 1)
    for inputs, found in signatures:
        assert found["right answered"]
        others = {key: found[key] for key in {*found} - allowed}
        assert not others, inputs
