"""Measure the size, speed and accuracy of TFLite files of every kind.

    python benchmarks/studies/tflite.py \\
        --model_dir=runs/sst2/model --dev_file=dev.tsv
    python benchmarks/studies/tflite.py --vocab_file=vocab.txt \\
        --config_file=configs/bert_tiny.json,configs/bert_mini.json

MODEL_DIR is a TextClassifier of single texts, DEV_FILE a .tsv file of texts and
labels without a header. The files of each kind are written to a temporary
folder, even if they lose too much accuracy. The program prints the size, the
accuracy, and the median time of a single text on one thread: from ids without
padding, and from strings, including the tokenizer.

With configs instead of a model, classifiers with two labels and random weights,
which change neither size nor speed, are timed on one text of each length, on
one thread.
"""

import pathlib
import tempfile
import time

import numpy as np
from absl import app
from absl import flags

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.export.tflite.names import PRECISIONS

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Output directory of run_classifier.py."
)
_DEV_FILE = flags.DEFINE_string("dev_file", None, "File of texts and labels.")
_CONFIG_FILES = flags.DEFINE_list("config_file", None, "Config files.")
_VOCAB_FILE = flags.DEFINE_string("vocab_file", None, "Vocabulary.")
_KINDS = flags.DEFINE_list(
    "kinds",
    None,
    "Kinds; by default all for a model, float32 and int8 for configs.",
)
_LENGTHS = flags.DEFINE_list(
    "lengths", ["16", "32", "128"], "Numbers of tokens."
)
_NUM_REPRESENTATIVE = flags.DEFINE_integer(
    "num_representative",
    24,
    "Number of texts, from the end, that calibrate full_int8.",
)
_RUNS = 50


def main(_):
    if _CONFIG_FILES.value:
        _measure_sizes()
    else:
        _measure_quality()


def _measure_quality():
    classifier = keras_bert.tasks.load_task(_MODEL_DIR.value)
    lines = pathlib.Path(_DEV_FILE.value).read_text("utf-8").splitlines()
    texts, labels = zip(*(line.split("\t") for line in lines), strict=True)
    found = [answer["label"] for answer in classifier.predict(texts)]
    print(f"Python: accuracy {_share(found, labels):.2%}", flush=True)
    for kind in _KINDS.value or PRECISIONS:
        options = {"texts": texts, "files": ["text", "ids"]}
        if kind == "full_int8":
            options["representative_texts"] = texts[
                -_NUM_REPRESENTATIVE.value :
            ]
            options["files"] = ["ids"]
        run, _, comparisons = _export(classifier, kind, **options)
        found = [_label(classifier, run, text) for text in texts]
        print(
            f"{kind}: accuracy {_share(found, labels):.2%}; "
            + "; ".join(f"{name} {x}" for name, x in comparisons.items()),
            flush=True,
        )


def _export(task, kind, **options):
    """Return the runner and bytes of the ids file, and the comparisons."""
    from keras_bert.export.tflite.comparison import signature_runner

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.tflite")
        comparisons = keras_bert.export.export_tflite(
            task, path, kind=kind, force=True, **options
        )
        data = path.with_name("model_ids.tflite").read_bytes()
    return signature_runner(data, has_text=False), data, comparisons


def _label(classifier, run, text):
    inputs = classifier.preprocess([text])
    length = int(np.sum(inputs["input_mask"]))
    ids = {
        name: inputs[name].numpy()[:, :length]
        for name in classifier.input_names
    }
    return run(**ids)["label"][0].decode()


def _share(found, labels):
    return float(np.mean(np.equal(found, labels)))


def _measure_sizes():
    tokenizer = keras_bert.text.BertTokenizer(_VOCAB_FILE.value)
    print("config, kind, MB,", ", ".join(f"{n} (ms)" for n in _LENGTHS.value))
    for path in _CONFIG_FILES.value:
        config = keras_bert.BertConfig.from_json(path)
        task = keras_bert.TextClassifier(
            PretrainedModel.from_config(config, tokenizer), labels=["0", "1"]
        )
        for kind in _KINDS.value or ["float32", "int8"]:
            size, *times = _measure(task, kind)
            print(
                f"{pathlib.Path(path).stem}, {kind}, {size:.1f},",
                ", ".join(f"{value:.2f}" for value in times),
                flush=True,
            )


def _measure(task, kind):
    """Return the megabytes and the median milliseconds of each length."""
    run, data, _ = _export(task, kind, files=["ids"])
    return [
        len(data) / 1e6,
        *(_milliseconds(run, task, int(length)) for length in _LENGTHS.value),
    ]


def _milliseconds(run, task, length):
    ids = {name: np.ones((1, length), np.int32) for name in task.input_names}
    ids["segment_ids"] *= 0
    seconds = []
    for _ in range(_RUNS + 1):  # The first call is slower.
        start = time.perf_counter()
        run(**ids)
        seconds.append(time.perf_counter() - start)
    return 1e3 * float(np.median(seconds[1:]))


if __name__ == "__main__":
    app.run(main)
