"""No request with wrong shapes ends the process of an exported model."""

import json
import subprocess
import sys

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.config import BertConfig
from keras_bert.export import export_onnx
from keras_bert.export import export_saved_model
from keras_bert.export import export_tflite
from keras_bert.models.families.albert.model import AlbertConfig
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.models.families.roberta.model import RobertaConfig
from keras_bert.models.families.xlm_roberta.model import XLMRobertaConfig
from tests.export.conftest import OF_FEATURES
from tests.export.conftest import TASKS

_SIZES = {
    "hidden_size": 8,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "max_position_embeddings": 14,
}
_CONFIGS = {
    "albert": AlbertConfig(40, **_SIZES, embedding_size=4),
    "bert": BertConfig(40, **_SIZES),
    "gpt": OpenAIGPTConfig(40, n_embd=8, n_layer=1, n_head=2, n_positions=14),
    "roberta": RobertaConfig(275, **_SIZES),
    "xlm": XLMRobertaConfig(40, **_SIZES),
}


def _of_ids(task, path):
    export_tflite(task, path, "float32", files=["ids"], force=True)


_EXPORTS = {
    "ids.tflite": _of_ids,
    "onnx": export_onnx,
    "packed.onnx": lambda task, path: export_onnx(task, path, packed=True),
    "saved_model": export_saved_model,
    "text.tflite": lambda task, path: export_tflite(
        task, path, "float32", files=["text"], force=True
    ),
}
_IN_TFLITE = {"albert", "bert", "xlm"}


def _exists(export, model, task):
    """Return whether this export exists."""
    if task in ("generator", "several"):
        return (export, model, task) == ("saved_model", "gpt", "generator")
    if model == "gpt" and (export, task) != ("saved_model", "embedder"):
        return False
    return {
        "ids.tflite": task not in OF_FEATURES,
        "onnx": task != "fill_mask",
        "packed.onnx": task != "fill_mask",
        "saved_model": True,
        "text.tflite": task not in OF_FEATURES and model in _IN_TFLITE,
    }[export]


_CASES = [
    (export, model, task)
    for export in _EXPORTS
    for model in _CONFIGS
    for task in TASKS
    if _exists(export, model, task)
]

# Like a server, feed tensors without checking their shapes.
_SERVER = """
import collections, itertools, json, math, sys
import numpy as np
export, path = sys.argv[1:]
TEXTS = [(), (0,), (1,), (2,), (1, 0), (0, 0), (0, 3), (1, 1), (2, 1), (2, 2)]
TEXTS += [(1, 1, 1), (0, 0, 0)]
IDS = [(), (0,), (1,), (5,), (1, 0), (0, 0), (0, 5), (1, 1), (1, 5), (2, 1)]
IDS += [(2, 5), (5, 2), (2, 30), (1, 1, 5), (2, 0, 5), (2, 2, 5), (2, 2, 0)]
IDS += [(0, 2, 5), (1, 1, 1, 5)]

def signatures():
    "Iterate over the signatures: inputs, ranks by name, and functions."
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
        from ai_edge_litert import interpreter as litert
        has_text, more = export == "text.tflite", []
        if has_text:
            import tensorflow_text
            more = tensorflow_text.tflite_registrar.SELECT_TFTEXT_OPS
        run = litert.InterpreterWithCustomOps(
            model_path=path.replace(".tflite", "_" + export),
            custom_op_registerers=more, num_threads=1).get_signature_runner()
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

for ranks, has_text, run in signatures():
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
    print(json.dumps([[*ranks], found]))
"""
_REFUSALS = {
    "packed.onnx": {"InvalidArgument", "Fail", "RuntimeException"},
    "onnx": {"InvalidArgument", "Fail", "RuntimeException"},
    "saved_model": {"InvalidArgumentError"},
}


@pytest.mark.smoke("saved_model-bert-of_pairs")
@pytest.mark.parametrize("export, model, task", _CASES)
def test_wrong_shapes_are_refused_and_the_process_lives(
    export, model, task, make_settings_of, tmp_path
):
    config = _CONFIGS[model]
    pretrained = PretrainedModel.from_config(
        config, make_settings_of(config.model_type)
    )
    path = tmp_path / "model.tflite"
    _EXPORTS[export](TASKS[task](pretrained), path)
    result = subprocess.run(
        [sys.executable, "-c", _SERVER, export, path],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    refusals = _REFUSALS.get(export, {"RuntimeError", "ValueError"})
    allowed = {"right answered"}
    allowed |= {
        f"{x} {name}" for x in ("wrong", "unequal") for name in refusals
    }
    if task == "generator":  # It rejects requests without rows.
        allowed.add("right InvalidArgumentError")
    if export != "saved_model":  # Without assertions, some requests succeed.
        allowed.add("wrong answered")
    signatures = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(signatures) == 1 + (export == "saved_model")
    for inputs, found in signatures:
        assert found["right answered"]
        others = {key: found[key] for key in {*found} - allowed}
        assert not others, inputs
