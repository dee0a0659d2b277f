"""Times the data tool against Model Garden's, whole processes on one core.

    python benchmarks/pretraining_data_speed.py --input_file='text/*.txt' \\
        --vocab_file=vocab.txt --peer_python=garden/bin/python

Both read the same text (a sentence or paragraph a line, a blank line between
documents) with the same settings: length 128, 20 predictions, dupe_factor 5.
They run in turn. PEER_PYTHON is one that has tf-models-official.
"""

import pathlib
import sys
import tempfile

import measuring
import tensorflow as tf
from absl import app
from absl import flags

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Paths and globs.", required=True
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "An uncased vocab.txt.", required=True
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with tf-models-official.", required=True
)
_REPETITIONS = flags.DEFINE_integer("repetitions", 3, "Runs of each.")

_ROOT = pathlib.Path(__file__).resolve().parents[1]


def main(_):
    with tempfile.TemporaryDirectory() as directory:
        programs = {
            "keras_bert": [
                sys.executable,
                str(_ROOT / "tools/create_pretraining_data.py"),
                "--overwrite",
            ],
            "Model Garden": [
                _PEER_PYTHON.value,
                "-m",
                "official.nlp.data.create_pretraining_data",
            ],
        }
        rates = {name: [] for name in programs}
        for number in range(_REPETITIONS.value):
            for name, program in programs.items():
                rates[name].append(_rate(program, directory))
                print(f"{number} {name}: {rates[name][-1]:.0f} examples/s")
    ours, theirs = (measuring.median(values) for values in rates.values())
    print(f"median: {ours:.0f} and {theirs:.0f}, ratio {ours / theirs:.1f}")


def _rate(program, directory):
    output = f"{directory}/records"
    seconds, _ = measuring.run(
        [
            *program,
            f"--input_file={_INPUT_FILE.value}",
            f"--vocab_file={_VOCAB_FILE.value}",
            f"--output_file={output}",
            "--do_lower_case=True",
            "--max_seq_length=128",
            "--max_predictions_per_seq=20",
            "--masked_lm_prob=0.15",
            "--dupe_factor=5",
        ],
        core=0,
    )
    count = sum(1 for _ in tf.data.TFRecordDataset(output))
    return count / seconds


if __name__ == "__main__":
    app.run(main)
