"""Compare the time to load BERT-base with the time to read its file.

    python benchmarks/studies/loading_speed.py --format=hf

A checkpoint of random weights, 440 MB, is written in each format. New processes
alternate: one reads the file as bytes, one calls `from_pretrained`; imports are
not timed. The reported memory is the increase of the peak over the memory after
the imports.
"""

import pathlib
import sys
import tempfile

from absl import app
from absl import flags

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402

_CONFIG = flags.DEFINE_string(
    "bert_config_file",
    str(pathlib.Path(__file__).parents[2] / "configs/bert_base.json"),
    "Config of the model.",
)
_FORMATS = flags.DEFINE_list(
    "format", ["keras", "hf", "tf1"], "Formats to write and read."
)
_REPETITIONS = flags.DEFINE_integer(
    "repetitions", 5, "Number of runs per format."
)

_WRITE = """
import sys
import keras_bert
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
config = keras_bert.BertConfig.from_json(sys.argv[1])
words = [f"word{i}" for i in range(config.vocab_size - len(SPECIAL_TOKENS))]
vocabulary = keras_bert.text.Vocabulary([*SPECIAL_TOKENS, *words])
bert = keras_bert.checkpoints.PretrainedModel.from_config(
    config, keras_bert.text.BertTokenizer(vocabulary)
)
keras_bert.save_pretrained(bert, sys.argv[2], format=sys.argv[3])
"""
_READ = """
import pathlib, resource, sys, time
import keras_bert.checkpoints.pretrained
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
file = max(pathlib.Path(sys.argv[1]).iterdir(), key=lambda f: f.stat().st_size)
before, start = peak(), time.perf_counter()
if sys.argv[2] == "file":
    file.read_bytes()
else:
    keras_bert.from_pretrained(sys.argv[1])
print(time.perf_counter() - start, peak() - before)
"""


def main(_):
    for name in _FORMATS.value:
        with tempfile.TemporaryDirectory() as directory:
            _python(_WRITE, _CONFIG.value, directory, name)
            figures = {"file": [], "model": []}
            for _ in range(_REPETITIONS.value):
                for what, values in figures.items():
                    values.append(_python(_READ, directory, what).split())
        medians = {
            what: [
                measuring.median(list(map(float, column)))
                for column in zip(*values, strict=True)
            ]
            for what, values in figures.items()
        }
        (file, _), (model, memory) = medians.values()
        print(
            f"{name}: file {file:.2f} s, from_pretrained {model:.2f} s, "
            f"ratio {model / file:.1f}, memory {memory:.0f} MiB",
            flush=True,
        )


def _python(program, *arguments):
    return measuring.output([sys.executable, "-c", program, *arguments])


if __name__ == "__main__":
    app.run(main)
