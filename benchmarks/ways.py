"""Count the files and functions of the library between a call and its effect.

    python benchmarks/ways.py              # all ways
    python benchmarks/ways.py --show=fit   # the functions in the order of calls

Each call runs twice on the included model; the second is counted, so that
imports and caches are not. The depth is the largest number of functions of the
library on the stack.
"""

import os
import pathlib
import sys
import tempfile
import threading

from absl import app
from absl import flags

import keras_bert
from keras_bert import pretraining

_SHOW = flags.DEFINE_enum(
    "show",
    None,
    ["fit", "records", "load", "export", "predict"],
    "Print the functions of one way instead of the table.",
)

_LIBRARY = os.path.dirname(keras_bert.__file__)
_SAMPLE = pathlib.Path(__file__).parents[1] / "tfrecords/sample"
_TEXTS = ["a fine film", "a long film", "no film"] * 4
_LABELS = ["good", "bad", "bad"] * 4


class Way:
    """Context manager that records the functions of the library.

    Attributes:
        functions: dict from code objects to the depth of the first call, in
            the order of the calls.
        depth: int, the largest depth.
    """

    def __enter__(self):
        self.functions, self.depth = {}, 0
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)
        threading.setprofile(None)

    def _profile(self, frame, event, _):
        code = frame.f_code
        if event != "call" or not _is_function(code):
            return
        depth = 0
        while frame is not None:
            depth += _is_function(frame.f_code)
            frame = frame.f_back
        self.functions.setdefault(code, depth)
        self.depth = max(self.depth, depth)

    @property
    def files(self):
        return {code.co_filename for code in self.functions}


def _is_function(code):
    """Return whether this is a function of the library; no comprehension."""
    return code.co_filename.startswith(_LIBRARY) and code.co_name[0] != "<"


def _classifier():
    return keras_bert.TextClassifier.from_pretrained(
        keras_bert.TINY_MODEL, labels=["bad", "good"], seq_length=16
    )


def _fit(_):
    task = _classifier()
    return lambda: task.fit(_TEXTS, _LABELS, epochs=1, batch_size=12, verbose=0)


def _records(folder):
    options = pretraining.TextOptions(str(_SAMPLE / "vocab.txt"))
    return lambda: pretraining.create_data(
        pretraining.open_sources([str(_SAMPLE / "text.txt")]),
        [str(folder / "records.tfrecord")],
        options,
        pretraining.DataOptions(),
        overwrite=True,
    )


def _load(_):
    return lambda: keras_bert.from_pretrained(keras_bert.TINY_MODEL).encoder


def _export(folder):
    task = _classifier()
    return lambda: task.export_saved_model(folder / "model", overwrite=True)


def _predict(_):
    task = _classifier()
    return lambda: task.predict(["a fine film"])


# Functions of a folder that return the function to count, and its description.
_WAYS = {
    "fit": (_fit, "`TextClassifier.fit`"),
    "records": (_records, "text to records"),
    "load": (_load, "directory to encoder"),
    "export": (_export, "`export_saved_model`"),
    "predict": (_predict, "`predict` of one text"),
}


def _count(make):
    with tempfile.TemporaryDirectory() as folder:
        call = make(pathlib.Path(folder))
        call()
        with Way() as way:
            call()
    return way


def main(_):
    if _SHOW.value is not None:
        way = _count(_WAYS[_SHOW.value][0])
        for code, depth in way.functions.items():
            path = os.path.relpath(code.co_filename, _LIBRARY)
            print(f"{'  ' * depth}{code.co_qualname}  {path}")
        return
    print("| way | files | functions | depth |")
    print("|---|---|---|---|")
    for make, description in _WAYS.values():
        way = _count(make)
        counts = len(way.files), len(way.functions), way.depth
        print(f"| {description} | {' | '.join(map(str, counts))} |", flush=True)


if __name__ == "__main__":
    app.run(main)
