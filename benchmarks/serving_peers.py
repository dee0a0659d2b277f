"""One process of `serving_speed.py`: a peer, with transformers' tokenizer.

    python benchmarks/serving_peers.py WAY MODEL_DIR ONNX_DIR TEXT_FILE \\
        NUM_TEXTS

WAY is `transformers`, `onnxruntime` or `openvino`, and `-float32` or
`-bfloat16`. The last two read what `export_onnx` wrote of the same model.
"""

import pathlib
import sys
import threading
import time

_START = time.perf_counter()
_MAX_LENGTH = 128

import serving_contender  # noqa: E402


def _tokenizer(model_dir, kind):
    from transformers import AutoTokenizer

    tokenize = AutoTokenizer.from_pretrained(model_dir)
    return lambda texts: tokenize(
        texts,
        padding=True,
        truncation=True,
        max_length=_MAX_LENGTH,
        return_tensors=kind,
    )


def _transformers(model_dir, _, precision):
    import torch
    from transformers import AutoModel

    tokenize = _tokenizer(model_dir, "pt")
    model = AutoModel.from_pretrained(model_dir).eval()
    is_narrow = precision == "bfloat16"

    def embed(texts):
        inputs = tokenize(texts)
        with (
            torch.inference_mode(),
            torch.autocast("cpu", torch.bfloat16, enabled=is_narrow),
        ):
            states = model(**inputs).last_hidden_state
            mask = inputs["attention_mask"][..., None]
            means = (states * mask).sum(1) / mask.sum(1)
        return torch.nn.functional.normalize(means.float()).numpy()

    return embed


def _ids(tokenize, texts):
    """The inputs of our ONNX file."""
    inputs = tokenize(texts)
    names = {
        "input_ids": "input_ids",
        "input_mask": "attention_mask",
        "segment_ids": "token_type_ids",
    }
    return {ours: inputs[x].astype("int32") for ours, x in names.items()}


def _onnxruntime(model_dir, onnx_dir, precision):
    import onnxruntime

    tokenize = _tokenizer(model_dir, "np")
    session = onnxruntime.InferenceSession(
        str(pathlib.Path(onnx_dir, "model.onnx")),
        providers=["CPUExecutionProvider"],
    )
    return lambda texts: session.run(None, _ids(tokenize, texts))[0]


def _openvino(model_dir, onnx_dir, precision):
    import openvino

    tokenize = _tokenizer(model_dir, "np")
    core = openvino.Core()
    compiled = core.compile_model(
        core.read_model(str(pathlib.Path(onnx_dir, "model.onnx"))),
        "CPU",
        {
            "INFERENCE_PRECISION_HINT": {"float32": "f32", "bfloat16": "bf16"}[
                precision
            ]
        },
    )
    own = threading.local()  # A request answers one client at a time.

    def embed(texts):
        if not hasattr(own, "request"):
            own.request = compiled.create_infer_request()
        return own.request.infer(_ids(tokenize, texts))[0]

    return embed


_WAYS = {
    "transformers": _transformers,
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
}


if __name__ == "__main__":
    way, model_dir, onnx_dir, text_file, number = sys.argv[1:]
    name, _, precision = way.partition("-")
    serving_contender.contend(
        lambda: _WAYS[name](model_dir, onnx_dir, precision),
        serving_contender.read_texts(text_file, int(number)),
        _START,
    )
