"""Pre-trains BERT, RoBERTa and ALBERT on the same text, each in its own way.

    python benchmarks/learning_families.py --input_file='novels/*.txt' \\
        --eval_file=another.txt --output_dir=runs/families

Each learns a tokenizer of its own kind, makes its own examples and learns its
own objective; models are equally wide and deep, and see the same number of
equally long examples. Prints a table: on --eval_file masked-LM loss and
accuracy, and how often the order or the next sentence is told right. A loss is
of pieces, which are not the same for all.
"""

import json
import pathlib
import shlex
import subprocess
import sys
import time

from absl import app
from absl import flags

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Text to learn from.", required=True
)
_EVAL_FILE = flags.DEFINE_string(
    "eval_file", None, "Text to be judged on.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string("output_dir", None, "New.", required=True)
_STEPS = flags.DEFINE_integer("num_train_steps", 2000, "Steps.", lower_bound=1)
_VOCAB_SIZE = flags.DEFINE_integer("vocab_size", 8000, "Pieces.")

_ROOT = pathlib.Path(__file__).parents[1]
# For each family: how its tokenizer is learned and where it then stands, how
# its examples are made, and the recipe.
_FAMILIES = {
    "bert": (
        "--kind=wordpiece --compact_ids --output_file={}/vocab.txt",
        "vocab.txt",
        "--packing=segment_pairs",
        "--objective=mlm_nsp --learning_rate=1e-3",
    ),
    "roberta": (
        "--kind=byte_bpe --output_dir={}/bpe",
        "bpe/vocab.json",
        "--packing=full_sentences",
        "--flagfile=configs/roberta_pretraining.flags",
    ),
    "albert": (
        "--kind=sentencepiece --output_dir={}/spm",
        "spm/spiece.model",
        "--packing=sentence_order",
        "--flagfile=configs/albert_pretraining.flags",
    ),
}
# These stand behind those of the flagfiles.
_SIZES = (
    "--max_seq_length=64 --max_predictions_per_seq=10 --train_batch_size=48 "
    "--precision=auto --log_steps=100 --save_checkpoints_steps=1000"
)


def main(_):
    for family in _FAMILIES:
        place = pathlib.Path(_OUTPUT_DIR.value, family)
        place.mkdir(parents=True)
        start = time.perf_counter()
        _pretrain(family, place)
        figures = json.dumps(_figures(place))
        print(f"{family}  {time.perf_counter() - start:.0f} s  {figures}")


def _pretrain(family, place):
    learning, vocabulary, making, recipe = _FAMILIES[family]
    _run(
        f"tools/learn_vocabulary.py {learning.format(place)} "
        f"--vocab_size={_VOCAB_SIZE.value}",
        input_file=_INPUT_FILE.value,
    )
    vocabulary = {"vocab_file": place / vocabulary}
    for split, text in (("train", _INPUT_FILE), ("eval", _EVAL_FILE)):
        _run(
            "tools/create_pretraining_data.py --split_sentences "
            f"--masking=dynamic --dupe_factor=1 --max_seq_length=64 {making}",
            input_file=text.value,
            output_dir=place / split,
            **vocabulary,
        )
    _run(
        f"tools/run_pretraining.py {recipe} {_SIZES} "
        f"--num_train_steps={_STEPS.value} "
        f"--num_warmup_steps={_STEPS.value // 10} "
        f"--bert_config_file=configs/{family}_tiny.json",
        input_file=f"{place}/train/*.tfrecord",
        eval_file=f"{place}/eval/*.tfrecord",
        output_dir=place / "run",
        **vocabulary,
    )


def _run(command, **more):
    flags_ = [f"--{name}={value}" for name, value in more.items()]
    subprocess.run(
        [sys.executable, *shlex.split(command), *flags_],
        cwd=_ROOT,
        check=True,
        stderr=subprocess.DEVNULL,
    )


def _figures(place):
    """The last evaluation."""
    lines = (place / "run" / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    return [point for point in points if point["split"] == "eval"][-1]


if __name__ == "__main__":
    app.run(main)
