"""Runs the data tool in a process that kills itself.

    python killed_run.py '{"kill_at": 7, "inputs": [...], ...}'

It does so at the so manieth event that has to do with a file; 0 is never.
TensorFlow takes seconds to start, so a tokenizer in Python stands in for
that of the package; of known words in lower case it makes the same pieces.
"""

import json
import os
import signal
import sys
import types

import numpy as np

from keras_bert.data import PretrainingDataOptions
from keras_bert.data import TextOptions
from keras_bert.data import create_pretraining_data
from keras_bert.data import open_sources
from keras_bert.data.corpus import text_files
from keras_bert.text.vocabulary import Vocabulary


class _Tokenizer:
    def __init__(self, vocab_file):
        self.vocabulary = Vocabulary.from_file(vocab_file)

    def __call__(self, lines):
        pieces = [
            [i for word in line.split() for i in self._pieces(word.decode())]
            for line in lines
        ]
        lengths = np.array([len(line) for line in pieces], np.int64)
        return types.SimpleNamespace(
            values=_tensor(np.array(sum(pieces, []), np.int32)),
            row_lengths=lambda: _tensor(lengths),
        )

    def _pieces(self, word):
        prefix = ""
        while word:
            ends = range(len(word), 0, -1)
            end = next(e for e in ends if prefix + word[:e] in self.vocabulary)
            yield self.vocabulary.id_of(prefix + word[:end])
            word, prefix = word[end:], "##"


def _tensor(array):
    return types.SimpleNamespace(numpy=lambda: array)


def main():
    request = json.loads(sys.argv[1])
    left = request["kill_at"]

    def hook(event, arguments):
        nonlocal left
        removes = event in ("os.rename", "os.remove", "os.rmdir")
        if removes or event == "open" and "/out" in str(arguments[0]):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    TextOptions.make_tokenizer = lambda options: _Tokenizer(options.vocab_file)
    text_files.CHUNK_BYTES = request["chunk_bytes"]
    sys.addaudithook(hook)
    create_pretraining_data(
        open_sources(request["inputs"]),
        request["outputs"],
        TextOptions(request["vocab_file"]),
        PretrainingDataOptions(**request["options"]),
    )
    if "tensorflow" in sys.modules:
        sys.exit("It was to do without TensorFlow.")


if __name__ == "__main__":
    main()
