"""Sizes and latencies of TFLite files of the small configs.

    python benchmarks/tflite_sizes.py --vocab_file=vocab.txt \\
        --config_file=configs/bert_tiny.json,configs/bert_mini.json

The weights are random, which changes neither. The model is a classifier with
two labels; the times are of one text on one thread, of as many tokens as
stand in the heading.
"""

import pathlib
import tempfile
import time

import numpy as np
from absl import app
from absl import flags

import keras_bert
from keras_bert.checkpoints import PretrainedModel

_CONFIG_FILES = flags.DEFINE_list(
    "config_file", None, "Model sizes.", required=True
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "Word pieces.", required=True
)
_KINDS = flags.DEFINE_list("kinds", ["float32", "int8"], "Which to measure.")
_LENGTHS = flags.DEFINE_list("lengths", ["16", "32", "128"], "In tokens.")
_RUNS = 50


def main(_):
    tokenizer = keras_bert.text.BertTokenizer(_VOCAB_FILE.value)
    print("config, kind, MB,", ", ".join(f"{n} (ms)" for n in _LENGTHS.value))
    for path in _CONFIG_FILES.value:
        config = keras_bert.BertConfig.from_json(path)
        task = keras_bert.TextClassifier(
            PretrainedModel.from_config(config, tokenizer), labels=["0", "1"]
        )
        for kind in _KINDS.value:
            size, *times = _measure(task, kind)
            print(
                f"{pathlib.Path(path).stem}, {kind}, {size:.1f},",
                ", ".join(f"{value:.2f}" for value in times),
                flush=True,
            )


def _measure(task, kind):
    """Megabytes, and the median milliseconds of each length."""
    from keras_bert.export.tflite_comparison import signature_runner

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.tflite")
        keras_bert.export.export_tflite(
            task, path, kind=kind, files=["ids"], force=True
        )
        data = path.with_name("model_ids.tflite").read_bytes()
    run = signature_runner(data, has_text=False)
    return [
        len(data) / 1e6,
        *(_milliseconds(run, task, int(length)) for length in _LENGTHS.value),
    ]


def _milliseconds(run, task, length):
    ids = {name: np.ones((1, length), np.int32) for name in task.inputs}
    ids["segment_ids"] *= 0
    seconds = []
    for _ in range(_RUNS + 1):  # The first call is slower.
        start = time.perf_counter()
        run(**ids)
        seconds.append(time.perf_counter() - start)
    return 1e3 * float(np.median(seconds[1:]))


if __name__ == "__main__":
    app.run(main)
