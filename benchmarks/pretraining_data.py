"""Measure the data tool, or compare its speed with Model Garden's.

    python benchmarks/pretraining_data.py --input_file=text.txt \\
        --vocab_file=vocab.txt --megabytes=30,1000 --num_workers=1,2
    python benchmarks/pretraining_data.py --input_file='text/*.txt' \\
        --vocab_file=vocab.txt --peer_python=garden/bin/python

Without --peer_python, the text is repeated or truncated to each size; the
program prints the speed and the peak memory of the largest process. With a
Python that has tf-models-official, both libraries alternate on one core; they
read the same text (one sentence or paragraph per line, a blank line between
documents) with the same settings.
"""

import pathlib
import sys
import tempfile

import measuring
from absl import app
from absl import flags

_INPUT_FILE = flags.DEFINE_string(
    "input_file",
    None,
    "Text file, or a glob with --peer_python.",
    required=True,
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "Uncased vocab.txt.", required=True
)
_MEGABYTES = flags.DEFINE_list(
    "megabytes", ["30", "1000"], "Text sizes in megabytes."
)
_NUM_WORKERS = flags.DEFINE_list(
    "num_workers", ["1", "2"], "Numbers of worker processes."
)
_NUM_SHARDS = flags.DEFINE_integer("num_shards", 8, "Number of record files.")
_DUPE_FACTOR = flags.DEFINE_integer(
    "dupe_factor", 1, "Number of passes over the text."
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with tf-models-official."
)
_REPETITIONS = flags.DEFINE_integer(
    "repetitions", 3, "Number of runs per library."
)

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_OURS = [
    sys.executable,
    str(_ROOT / "tools/create_pretraining_data.py"),
    "--overwrite",
]


def main(_):
    with tempfile.TemporaryDirectory() as directory:
        if _PEER_PYTHON.value:
            _compare(directory)
        else:
            _measure_sizes(pathlib.Path(directory))


def _measure_sizes(directory):
    text = directory / "text.txt"
    for megabytes in map(int, _MEGABYTES.value):
        _write(text, megabytes * 1_000_000)
        for num_workers in _NUM_WORKERS.value:
            seconds, mebibytes = measuring.run(
                [
                    *_OURS,
                    f"--input_file={text}",
                    f"--vocab_file={_VOCAB_FILE.value}",
                    f"--output_dir={directory / 'records'}",
                    f"--num_shards={_NUM_SHARDS.value}",
                    f"--num_workers={num_workers}",
                    f"--dupe_factor={_DUPE_FACTOR.value}",
                ]
            )
            print(
                f"{megabytes} MB, {num_workers} worker(s): {seconds:.1f} s, "
                f"{megabytes / seconds:.1f} MB/s, peak {mebibytes:.0f} MiB",
                flush=True,
            )


def _write(path, size):
    text = pathlib.Path(_INPUT_FILE.value).read_bytes() + b"\n\n"
    with open(path, "wb") as file:
        for _ in range(size // len(text)):
            file.write(text)
        file.write(text[: size % len(text)].rpartition(b"\n")[0])


def _compare(directory):
    garden = "official.nlp.data.create_pretraining_data"
    programs = {
        "keras_bert": _OURS,
        "Model Garden": [_PEER_PYTHON.value, "-m", garden],
    }
    rates = {name: [] for name in programs}
    for number in range(_REPETITIONS.value):
        for name, program in programs.items():
            output = f"{directory}/{name.split()[-1]}"
            rates[name].append(_rate(program, output))
            print(f"{number} {name}: {rates[name][-1]:.0f} examples/s")
    ours, theirs = (measuring.median(values) for values in rates.values())
    print(f"median: {ours:.0f} and {theirs:.0f}, ratio {ours / theirs:.1f}")


def _rate(program, output):
    import tensorflow as tf

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
