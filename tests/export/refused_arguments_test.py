"""Refused arguments of the exports; nothing is written."""

import os
import sys

import pytest

from keras_bert import tasks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.export import export_onnx
from keras_bert.export import export_openvino
from keras_bert.export import export_tflite
from keras_bert.text import BertTokenizer
from tests.export.conftest import TASKS


def _onnx(folder, bert, **arguments):
    export_onnx(TASKS["classifier"](bert), folder / "onnx", **arguments)


def _openvino(folder, bert, **arguments):
    export_openvino(TASKS["classifier"](bert), folder / "o", **arguments)


def _tflite(folder, bert, path="model.tflite", **arguments):
    task = tasks.FeatureExtractor(bert, seq_length=10)
    export_tflite(task, folder / path, **arguments)


def _mediapipe(folder, bert, make):
    export_tflite(make(bert), folder / "m.tflite", files=["mediapipe"])


def _cased(bert):
    tokenizer = BertTokenizer(bert.tokenizer.vocabulary, lowercase=False)
    return TASKS["embedder"](
        PretrainedModel.from_config(bert.config, tokenizer)
    )


def _with_prompt(bert):
    prompts = {"q": "dog"}
    return tasks.TextEmbedder(bert, prompts=prompts, default_prompt_name="q")


_INT8 = {"precision": "int8"}
_FIXED = {"kind": "full_int8"}
_MANY_TEXTS = "`texts` must be about 320.*texts=None"
_PAIR = "1 dimension.*Received: \\('a', 'b'\\)"


@pytest.mark.parametrize(
    "export, arguments, words",
    [
        (_onnx, {"names": "torch"}, "`names`.*hugging_face.*'torch'"),
        (_onnx, {"precision": "int4"}, "`precision`.*float32.*'int4'"),
        (_onnx, {"texts": ["a"]}, "must be passed with precision='int8'"),
        (_onnx, {"texts": [], **_INT8}, "must not be empty"),
        (_onnx, {"texts": "a cat", **_INT8}, "must be a list.*'a cat'"),
        (_openvino, {"precision": "int4"}, "`precision`.*float16.*'int4'"),
        (_openvino, _INT8, _MANY_TEXTS),
        (_tflite, {"path": "model.bin"}, "end in .*model.bin"),
        (_tflite, {"kind": "int4"}, "Received: kind='int4'"),
        (_tflite, _FIXED, "no representative texts"),
        (_tflite, {"representative_texts": ["a"]}, "kind='int8', and repre"),
        (
            _tflite,
            {"representative_texts": ["a"], **_FIXED},
            "for ids only.*files=.'ids'",
        ),
        (_tflite, {"files": []}, "Received: \\[\\]"),
        (_tflite, {"files": ["flex"]}, "Received: \\['flex'\\]"),
        (_tflite, {"files": "ids"}, "Received: 'ids'"),
        (_tflite, {"texts": [("a", "b")]}, _PAIR),
        (_mediapipe, {"make": TASKS["tagger"]}, "TokenClassifier .*'ids'"),
        (_mediapipe, {"make": TASKS["of_pairs"]}, "text and text_pair"),
        (_mediapipe, {"make": _cased}, "WordPiece.*lowercase=False"),
        (_mediapipe, {"make": _with_prompt}, "must end with a space.*'dog'"),
    ],
)
def test_a_wrong_argument_is_named(bert, tmp_path, export, arguments, words):
    with pytest.raises(ValueError, match=words):
        export(tmp_path, bert, **arguments)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "export, package, arguments",
    [
        (_onnx, "onnxruntime", {}),
        (_openvino, "openvino", {}),
        (_openvino, "nncf", {"precision": "int8", "texts": ["a cat"] * 320}),
    ],
)
def test_a_missing_package_is_named(
    bert, tmp_path, monkeypatch, export, package, arguments
):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=f"{package}.*keras-bert-tf"):
        export(tmp_path, bert, **arguments)
