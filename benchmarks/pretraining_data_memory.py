"""Peak memory and speed of the data tool at two sizes of text.

    python benchmarks/pretraining_data_memory.py --input_file=text.txt \\
        --vocab_file=vocab.txt --megabytes=30,1000 --num_workers=1,2

The text is repeated, or cut, to each size. The memory is that of the largest
process.
"""

import os
import pathlib
import sys
import tempfile

import measuring
from absl import app
from absl import flags

_INPUT_FILE = flags.DEFINE_string("input_file", None, "Text.", required=True)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "An uncased vocab.txt.", required=True
)
_MEGABYTES = flags.DEFINE_list("megabytes", ["30", "1000"], "Sizes of text.")
_NUM_WORKERS = flags.DEFINE_list("num_workers", ["1", "2"], "Processes.")
_NUM_SHARDS = flags.DEFINE_integer("num_shards", 8, "Record files.")
_DUPE_FACTOR = flags.DEFINE_integer("dupe_factor", 1, "Passes.")

_ROOT = pathlib.Path(__file__).resolve().parents[1]


def main(_):
    with tempfile.TemporaryDirectory() as directory:
        text = pathlib.Path(directory, "text.txt")
        for megabytes in map(int, _MEGABYTES.value):
            _write(text, megabytes * 1_000_000)
            for num_workers in map(int, _NUM_WORKERS.value):
                seconds, mebibytes = _measure(text, directory, num_workers)
                print(
                    f"{megabytes} MB, {num_workers} worker(s): "
                    f"{seconds:.1f} s, {megabytes / seconds:.1f} MB/s, "
                    f"peak {mebibytes:.0f} MiB",
                    flush=True,
                )


def _write(path, size):
    text = pathlib.Path(_INPUT_FILE.value).read_bytes() + b"\n\n"
    with open(path, "wb") as file:
        for _ in range(size // len(text)):
            file.write(text)
        file.write(text[: size % len(text)].rpartition(b"\n")[0])


def _measure(text, directory, num_workers):
    return measuring.run(
        [
            sys.executable,
            str(_ROOT / "tools/create_pretraining_data.py"),
            f"--input_file={text}",
            f"--vocab_file={_VOCAB_FILE.value}",
            f"--output_dir={os.path.join(directory, 'records')}",
            f"--num_shards={_NUM_SHARDS.value}",
            f"--num_workers={num_workers}",
            f"--dupe_factor={_DUPE_FACTOR.value}",
            "--overwrite",
        ]
    )


if __name__ == "__main__":
    app.run(main)
