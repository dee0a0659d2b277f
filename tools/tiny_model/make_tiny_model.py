"""Pre-train the tiny model of the library, `keras_bert.TINY_MODEL`.

    python tools/tiny_model/make_tiny_model.py --work_dir=tiny-work

The stages are the same as in the demo: corpus from the installed packages,
vocabulary, records and pre-training. The model has 6,000 word pieces and three
blocks, and is trained for more steps with a fixed seed. The result depends on
the installed packages, which the model card lists. The weights are stored in
float16. A second call resumes from `work_dir`.
"""

import dataclasses
import importlib.metadata
import json
import pathlib
import platform
import shutil
import struct
import subprocess
import sys
import textwrap

import numpy as np
from absl import app
from absl import flags

import keras_bert
from keras_bert.checkpoints.layout import CARD
from keras_bert.files.manifest import MANIFEST
from keras_bert.files.manifest import read_manifest
from keras_bert.files.manifest import record_directory

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_WORK_DIR = flags.DEFINE_string(
    "work_dir", None, "Directory for intermediate files.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", str(keras_bert.TINY_MODEL), "Output directory for the model."
)
_NUM_TRAIN_STEPS = flags.DEFINE_integer(
    "num_train_steps", 12000, "Number of training steps."
)
_VOCAB_SIZE = 6000
_NUM_LAYERS = 3
_WRAP = {"break_long_words": False, "break_on_hyphens": False}


def main(_):
    work = pathlib.Path(_WORK_DIR.value)
    work.mkdir(parents=True, exist_ok=True)
    _make_records(work)
    _train(work)
    output = pathlib.Path(_OUTPUT_DIR.value)
    shutil.rmtree(output, ignore_errors=True)
    bert = keras_bert.from_pretrained(work / "run")
    keras_bert.save_pretrained(bert, output)
    _halve(output / "model.safetensors")
    (output / CARD).write_text(
        _card(work, bert), encoding="utf-8", newline="\n"
    )
    manifest = read_manifest(output / MANIFEST)
    record_directory(output, manifest)


def _make_records(work):
    corpus = work / "corpus"
    if not (work / "eval.tfrecord").exists():
        _run("collect_corpus", f"--output_dir={corpus}", "--overwrite")
        _run(
            "learn_vocabulary",
            f"--input_file={corpus}/train.txt",
            f"--output_file={work}/vocab.txt",
            f"--vocab_size={_VOCAB_SIZE}",
            "--compact_ids",
            "--overwrite",
        )
        for part in ("train", "eval"):
            _run(
                "create_pretraining_data",
                f"--flagfile={_ROOT}/configs/demo_data.flags",
                f"--input_file={corpus}/{part}.txt",
                f"--vocab_file={work}/vocab.txt",
                f"--output_file={work}/{part}.tfrecord",
                "--overwrite",
            )


def _train(work):
    demo = keras_bert.BertConfig.from_json(_ROOT / "configs/bert_demo.json")
    config = dataclasses.replace(
        demo, vocab_size=_VOCAB_SIZE, num_hidden_layers=_NUM_LAYERS
    )
    config.to_json(work / "config.json")
    _run(
        "run_pretraining",
        f"--flagfile={_ROOT}/configs/demo_pretraining.flags",
        f"--input_file={work}/train.tfrecord",
        f"--eval_file={work}/eval.tfrecord",
        f"--vocab_file={work}/vocab.txt",
        f"--bert_config_file={work}/config.json",
        f"--output_dir={work}/run",
        f"--num_train_steps={_NUM_TRAIN_STEPS.value}",
        "--objective=mlm_nsp",
        "--num_warmup_steps=400",
        "--log_steps=100",
    )


def _run(name, *arguments):
    program = _ROOT / "tools" / f"{name}.py"
    subprocess.run([sys.executable, program, *arguments], check=True)


def _halve(path):
    """Convert the float32 arrays of a safetensors file to float16."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    numbers = np.frombuffer(content[8 + length :], "<f4").astype("<f2")
    for name, entry in header.items():
        if name != "__metadata__":
            entry["dtype"] = "F16"
            entry["data_offsets"] = [x // 2 for x in entry["data_offsets"]]
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + numbers.tobytes())


def _card(work, bert):
    lines = (work / "run/metrics.jsonl").read_text("utf-8").splitlines()
    points = [json.loads(line) for line in lines]
    *_, score = [x for x in points if x["split"] == "eval"]
    corpus = work / "corpus/train.txt"
    size, steps = corpus.stat().st_size / 1e6, _NUM_TRAIN_STEPS.value
    count = sum(np.prod(w.shape) for w in bert.weights.values())
    packages = sorted(
        {f"{x.name} {x.version}" for x in importlib.metadata.distributions()},
        key=str.lower,
    )
    paragraphs = [
        f"{count / 1e6:.1f} million parameters, {_NUM_LAYERS} blocks, "
        f"{bert.config.hidden_size} wide, {len(bert.tokenizer.vocabulary):,} "
        f"word pieces, at most {bert.config.max_position_embeddings} tokens "
        "per text: about one percent of BERT-base.",
        "This model is for tests, examples and first steps without a network. "
        "**It has no world knowledge and little knowledge of language**: it "
        f"was trained on only {size:.1f} MB of the English documentation of "
        "Python packages. It can predict words about functions that return "
        "lists, but not capitals of countries. For real work use a published "
        "model.",
        f"It was trained for {steps:,} steps of 48 examples. On held-out "
        "documents the masked-LM accuracy is "
        f"{100 * score['mlm_accuracy']:.1f} % (loss {score['mlm_loss']:.2f}) "
        "and the next-sentence accuracy is "
        f"{100 * score['nsp_accuracy']:.1f} %.",
        "`tools/tiny_model/make_tiny_model.py` created it with seed 12345; the "
        "weights are stored in float16. The training text is the documentation "
        f"of Python {platform.python_version()} and of these packages: "
        f"{', '.join(packages)}.",
    ]
    wrapped = [textwrap.fill(x, 80, **_WRAP) for x in paragraphs]
    return "\n\n".join(["# A tiny BERT", *wrapped]) + "\n"


if __name__ == "__main__":
    app.run(main)
