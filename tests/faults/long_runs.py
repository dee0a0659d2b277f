"""Measure the memory and the open files of long runs.

    python -m tests.faults.long_runs requests --count=100000
    python -m tests.faults.long_runs predictions --count=100000
    python -m tests.faults.long_runs fits --count=20
    python -m tests.faults.long_runs steps --count=100000
    python -m tests.faults.long_runs views --count=864000

`requests` sends requests of changing shapes to a served SavedModel,
`predictions` calls `predict` with them, `fits` trains classifiers one after the
other in one process, and `steps` trains one classifier. `views` reads batches
of an epoch view; 864,000 batches are a day of steps of 0.1 seconds. Each line
is a JSON object with the number of repetitions, the resident memory in MiB and
the number of open files.
"""

import argparse
import gc
import json
import os
import pathlib
import random
import tempfile

import keras
from starlette.testclient import TestClient

from keras_bert import pretraining
from keras_bert import tasks
from keras_bert.serve import make_app
from keras_bert.text import BertTokenizer
from tests import tiny

_WORDS = ("the", "dog", "sees", "a", "cat", "\N{DOG FACE}", "unknown", "")
_SAMPLE = pathlib.Path(__file__).parents[2] / "tfrecords/sample"
_NUM_LINES = 10
_STEPS_PER_EPOCH = 1000


def texts_of(number):
    """Return one to nine texts of different lengths for a request."""
    generator = random.Random(number)
    return [
        " ".join(generator.choices(_WORDS, k=generator.randrange(1, 40)))
        for _ in range(generator.randrange(1, 10))
    ]


def requests(count, report):
    """Send requests to a served SavedModel."""
    embedder = tasks.TextEmbedder(tiny.make_bert())
    with tempfile.TemporaryDirectory() as folder:
        embedder.export_saved_model(pathlib.Path(folder, "model"))
        with TestClient(make_app([pathlib.Path(folder, "model")])) as client:
            for number in range(count):
                body = {"model": "model", "input": texts_of(number)}
                answer = client.post("/v1/embeddings", json=body)
                assert len(answer.json()["data"]) == len(body["input"])
                report(number)


def predictions(count, report):
    """Call `predict`."""
    classifier = _classifier()
    for number in range(count):
        classifier.predict(texts_of(number))
        report(number)


def fits(count, report):
    """Train new classifiers."""
    texts, labels = _examples()
    for number in range(count):
        _classifier().fit(texts, labels, epochs=1, verbose=0)
        report(number)


def steps(count, report):
    """Train one classifier."""
    texts, labels = _examples()

    class Report(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            report(self.number)
            self.number += 1

    callback = Report()
    callback.number = 0
    steps = min(count, _STEPS_PER_EPOCH)
    _classifier().fit(
        texts,
        labels,
        batch_size=2,
        steps_per_epoch=steps,
        epochs=count // steps,
        callbacks=[callback],
        verbose=0,
    )


def views(count, report):
    """Read batches of permuted records."""
    vocab_file = str(_SAMPLE / "vocab.txt")
    sizes = {"max_seq_length": 32, "max_predictions_per_seq": 4}
    options = pretraining.DataOptions(masking="dynamic", **sizes)
    vocabulary = BertTokenizer(vocab_file).vocabulary
    # No substitutes, as `permuted_batches` requires.
    masking = pretraining.MaskingOptions(
        vocabulary.id_of("[MASK]"), substitutes=(0.0, 0.0)
    )
    with tempfile.TemporaryDirectory() as folder:
        records = [str(pathlib.Path(folder, "text.tfrecord"))]
        pretraining.create_data(
            pretraining.open_sources([str(_SAMPLE / "text.txt")]),
            records,
            pretraining.TextOptions(vocab_file),
            options,
        )
        data = pretraining.dynamic_dataset(
            records,
            batch_size=8,
            vocab_size=len(vocabulary),
            masking=masking,
            seed=0,
            **sizes,
        )
        data = pretraining.permuted_batches(data).take(count)
        for number, _ in enumerate(data):
            report(number)


def _classifier():
    return tasks.TextClassifier(tiny.make_bert(), labels=["odd", "even"])


def _examples():
    texts = [text for number in range(20) for text in texts_of(number)]
    return texts, [("even", "odd")[len(text) % 2] for text in texts]


RUNS = {
    run.__name__: run for run in (requests, predictions, fits, steps, views)
}


def measured(name, count):
    """Return the state of the process after each tenth of a run.

    Args:
        name: str, a key of `RUNS`.
        count: int, number of repetitions.
    """
    states = []

    def report(number):
        if (number + 1) % max(1, count // _NUM_LINES) == 0:
            gc.collect()
            states.append({"run": name, "count": number + 1, **_state()})
            print(json.dumps(states[-1]), flush=True)

    RUNS[name](count, report)
    return states


def _state():
    status = pathlib.Path("/proc/self/status").read_text()
    (resident,) = [x for x in status.splitlines() if x.startswith("VmRSS")]
    return {
        "resident_mib": int(resident.split()[1]) // 1024,
        "open_files": len(os.listdir("/proc/self/fd")),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", choices=RUNS)
    parser.add_argument("--count", type=int, required=True)
    arguments = parser.parse_args()
    measured(arguments.run, arguments.count)


if __name__ == "__main__":
    main()
