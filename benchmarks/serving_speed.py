"""Times answers from text to vector: our SavedModel and library, and peers.

    python benchmarks/serving_speed.py --model_dir=minilm \\
        --text_file=sentences.txt --peer_python=hf/bin/python

MODEL_DIR is a sentence-transformers directory of a BERT, TEXT_FILE has a text a
line, and PEER_PYTHON has torch, transformers, onnxruntime and openvino. Whole
processes run in turn. Each takes the texts in the order of the file, 32 a
request; then again, from two clients at once; then the first 200 one by one,
of which the median counts. Before all that it has answered 8 requests of 32 and
64 single texts. "One thread an op" is what a server does with
--tensorflow_intra_op_parallelism=1, and "one thread" with
--tensorflow_inter_op_parallelism=1 as well. Tokenizing is in all of it. Peers
pad a batch to its longest text. Prints every run, and at last the medians with
how many times a peer's figure is ours.
"""

import json
import pathlib
import sys
import tempfile

import keras
import measuring
from absl import app
from absl import flags

import keras_bert

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Directory of sentence-transformers.", required=True
)
_TEXT_FILE = flags.DEFINE_string(
    "text_file", None, "Texts, one a line.", required=True
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python",
    None,
    "Python with torch, transformers, onnxruntime and openvino.",
)
_NUM_TEXTS = flags.DEFINE_integer("num_texts", 2048, "First lines.")
_PRECISION = flags.DEFINE_multi_enum(
    "precision",
    ["float32", "bfloat16"],
    ["float32", "bfloat16"],
    "Of the products.",
)
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Runs of each.", lower_bound=1)

_HERE = pathlib.Path(__file__).parent
_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
_SEQ_LENGTH = 128


def main(_):
    runs = {precision: {} for precision in _PRECISION.value}
    with tempfile.TemporaryDirectory() as directory:
        _export(directory)
        for _ in range(_ROUNDS.value):
            for precision in runs:
                for name, command in _programs(directory, precision).items():
                    figures = json.loads(measuring.output(command))
                    runs[precision].setdefault(name, []).append(figures)
                    print(precision, name, figures, flush=True)
    for precision, programs in runs.items():
        for line in _comparison(programs):
            print(precision, line)


def _export(directory):
    """A SavedModel of each precision, and an ONNX file."""
    for precision, policy in _POLICIES.items():
        keras.config.set_dtype_policy(policy)
        embedder = keras_bert.TextEmbedder.from_pretrained(
            _MODEL_DIR.value, seq_length=_SEQ_LENGTH
        )
        embedder.export_saved_model(f"{directory}/{precision}")
        if precision == "float32":
            keras_bert.export.export_onnx(embedder, f"{directory}/onnx")


def _programs(directory, precision):
    """The commands of all ways to embed, by name."""
    texts = [_TEXT_FILE.value, str(_NUM_TEXTS.value)]
    ours = [sys.executable, _HERE / "serving_ours.py"]
    ways = {
        "SavedModel": "saved_model",
        "SavedModel, one thread an op": "saved_model_1",
        "SavedModel, one thread": "saved_model_1_1",
    }
    programs = {
        name: [*ours, way, f"{directory}/{precision}/1"]
        for name, way in ways.items()
    }
    for name, way in (
        ("TextEmbedder", precision),
        ("TextEmbedder, one thread an op", f"{precision}_1"),
    ):
        programs[name] = [*ours, way, _MODEL_DIR.value]
    peers = {"transformers": _POLICIES, "openvino": _POLICIES}
    peers["onnxruntime"] = ("float32",)
    for name, precisions in peers.items():
        if _PEER_PYTHON.value and precision in precisions:
            programs[name] = [
                _PEER_PYTHON.value,
                _HERE / "serving_peers.py",
                f"{name}-{precision}",
                _MODEL_DIR.value,
                f"{directory}/onnx",
            ]
    return {name: [*map(str, p), *texts] for name, p in programs.items()}


def _comparison(programs):
    """A line on each figure of each program."""
    for figure in next(iter(programs.values()))[0]:
        medians = {
            name: measuring.median([run[figure] for run in several])
            for name, several in programs.items()
        }
        for name, value in medians.items():
            ratio = medians["SavedModel"] / value
            yield f"{figure}  {name} {value:.4g}, SavedModel {ratio:.2f} times"


if __name__ == "__main__":
    app.run(main)
