"""Measures a fine-tuned classifier as TFLite files of every kind.

    python benchmarks/tflite_quality.py --model_dir=runs/sst2/model \\
        --dev_file=dev.tsv

MODEL_DIR is a TextClassifier of single texts, DEV_FILE a .tsv of texts and
labels without a header. For each kind the files are written into a folder
that is removed at the end, also those that lose too much. Printed are the size,
the accuracy, and the median time of a text, alone and on one thread: of ids
without padding, and of strings, the tokenizer included.
"""

import pathlib
import tempfile

import numpy as np
from absl import app
from absl import flags

import keras_bert
from keras_bert.export.tflite_names import KINDS

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "What run_classifier.py has written.", required=True
)
_DEV_FILE = flags.DEFINE_string(
    "dev_file", None, "Texts and labels.", required=True
)
_KINDS = flags.DEFINE_list("kinds", [*KINDS], "Which to measure.")
_NUM_REPRESENTATIVE = flags.DEFINE_integer(
    "num_representative", 24, "Last texts, which fix the scales of full_int8."
)


def main(_):
    from keras_bert.export.tflite_comparison import signature_runner

    classifier = keras_bert.tasks.load_task(_MODEL_DIR.value)
    lines = pathlib.Path(_DEV_FILE.value).read_text("utf-8").splitlines()
    texts, labels = zip(*(line.split("\t") for line in lines), strict=True)
    found = [answer["label"] for answer in classifier.predict(texts)]
    print(f"Python: accuracy {_share(found, labels):.2%}", flush=True)
    for kind in _KINDS.value:
        is_full = kind == "full_int8"
        representative = texts[-_NUM_REPRESENTATIVE.value :]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.tflite")
            comparisons = keras_bert.export.export_tflite(
                classifier,
                path,
                kind=kind,
                texts=texts,
                representative_texts=representative if is_full else None,
                files=["ids"] if is_full else ["text", "ids"],
                force=True,
            )
            data = path.with_name("model_ids.tflite").read_bytes()
            run = signature_runner(data, has_text=False)
        found = [_label(classifier, run, text) for text in texts]
        print(
            f"{kind}: accuracy {_share(found, labels):.2%}; "
            + "; ".join(f"{name} {x}" for name, x in comparisons.items()),
            flush=True,
        )


def _label(classifier, run, text):
    inputs = classifier.preprocess([text])
    length = int(np.sum(inputs["input_mask"]))
    ids = {name: inputs[name].numpy()[:, :length] for name in classifier.inputs}
    return run(**ids)["label"][0].decode()


def _share(found, labels):
    return float(np.mean(np.equal(found, labels)))


if __name__ == "__main__":
    app.run(main)
