"""Times embedding real sentences against Hugging Face's model.

    python benchmarks/embedding_speed.py --model_dir=minilm \\
        --text_file=sentences.txt --peer_python=hf/bin/python \\
        --peer_script=peers/infer_hf.py

MODEL_DIR is a BERT in Hugging Face's form, TEXT_FILE has a sentence a line,
of all lengths, and PEER_PYTHON has torch and transformers. Whole processes
run in turn. Each embeds the first 64 sentences to warm up, then all of them,
tokenization included, cut to 128 word pieces, and prints its sentences per
second. The peer takes batches of 32 in the order of the file and sorted by
length; its better order counts.
"""

import json
import pathlib
import sys
import time

import keras
import measuring
from absl import app
from absl import flags

import keras_bert

_PRECISIONS = ("float32", "bfloat16")
_ORDERS = ("sorted", "file")

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Checkpoint of Hugging Face.", required=True
)
_TEXT_FILE = flags.DEFINE_string(
    "text_file", None, "Sentences, one a line.", required=True
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with torch and transformers."
)
_PEER_SCRIPT = flags.DEFINE_string(
    "peer_script",
    None,
    "Takes model, number of texts, batch size, order, precision and file, "
    "and prints a JSON object with `sentences_per_s`.",
)
_NUM_SENTENCES = flags.DEFINE_integer("num_sentences", 2048, "First lines.")
_REPETITIONS = flags.DEFINE_integer("repetitions", 5, "Runs of each.")
_OURS = flags.DEFINE_enum(
    "ours", None, _PRECISIONS, "Measure ours alone, once, in this process."
)


def main(_):
    if _OURS.value:
        rate = _measure_ours(_OURS.value)
        print(json.dumps({"sentences_per_s": round(rate, 1)}))
        return
    for precision in _PRECISIONS:
        ours = [sys.executable, __file__, *sys.argv[1:], f"--ours={precision}"]
        programs = {"keras_bert": ours}
        for order in _ORDERS:
            programs[f"Hugging Face, {order}"] = _peer(order, precision)
        rates = {name: [] for name in programs}
        for number in range(_REPETITIONS.value):
            for name, program in programs.items():
                rates[name].append(_rate(program))
                print(
                    f"{number} {precision} {name}: "
                    f"{rates[name][-1]:.0f} sentences/s",
                    flush=True,
                )
        ours, *peers = (measuring.median(values) for values in rates.values())
        print(
            f"{precision}, median: {ours:.0f} and {max(peers):.0f}, "
            f"ratio {ours / max(peers):.2f}"
        )


def _peer(order, precision):
    return [
        _PEER_PYTHON.value,
        _PEER_SCRIPT.value,
        _MODEL_DIR.value,
        str(_NUM_SENTENCES.value),
        "32",
        order,
        precision,
        _TEXT_FILE.value,
    ]


def _rate(program):
    return json.loads(measuring.output(program))["sentences_per_s"]


def _measure_ours(precision):
    if precision == "bfloat16":
        keras.config.set_dtype_policy("mixed_bfloat16")
    text = pathlib.Path(_TEXT_FILE.value).read_text(encoding="utf-8")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    lines = lines[: _NUM_SENTENCES.value]
    embedder = keras_bert.TextEmbedder.from_pretrained(
        _MODEL_DIR.value, seq_length=128
    )
    embedder.embed(lines[:64])
    start = time.perf_counter()
    embedder.embed(lines)
    return len(lines) / (time.perf_counter() - start)


if __name__ == "__main__":
    app.run(main)
