"""Run the data tool in processes that kill themselves.

    echo '{"kill_at": 7, "inputs": [...], ...}' | python killed_run.py

Each line of the input starts a run in a fork of this process, which has already
imported everything. The run kills itself at file event number `kill_at`; 0 is
never. Its exit code is printed. TensorFlow must not run before a fork, so a
tokenizer in Python replaces the tokenizer of the package; it returns the same
pieces for known lower-case words.
"""

import json
import os
import signal
import sys
import types

import numpy as np

from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.corpus import text_files
from keras_bert.text.wordpiece.vocabulary import Vocabulary


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


def _run(request):
    left = request["kill_at"]

    def hook(event, arguments):
        nonlocal left
        removes = event in ("os.rename", "os.remove", "os.rmdir")
        if removes or event == "open" and "/out" in str(arguments[0]):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    text_files.CHUNK_BYTES = request["chunk_bytes"]
    sys.addaudithook(hook)
    create_data(
        open_sources(request["inputs"]),
        request["outputs"],
        TextOptions(request["vocab_file"]),
        DataOptions(**request["options"]),
    )
    if "tensorflow" in sys.modules:
        sys.exit("It was to do without TensorFlow.")


def main():
    TextOptions.make_tokenizer = lambda options, on_host: _Tokenizer(
        options.vocab_file
    )
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _run(json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
