"""Every program: its help, and how it fails."""

import collections
import dataclasses
import gzip
import hashlib
import json
import os
import re
import shutil

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.config import BertConfig
from keras_bert.data import PretrainingDataOptions
from keras_bert.data import TextOptions
from keras_bert.data import create_pretraining_data
from keras_bert.data import open_sources
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_WORDS = "the a dog cat bird sees likes finds red old new house".split()

pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with good and bad files of every kind; nobody writes to it."""
    place = tmp_path_factory.mktemp("place")
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *_WORDS])
    vocabulary.save(place / "vocab.txt")
    (place / "no_specials.txt").write_text("\n".join(_WORDS) + "\n")
    documents = [
        [f"the {a} {b} sees a {c}" for b in _WORDS[2:6]]
        for a, c in zip(_WORDS, reversed(_WORDS))
    ]
    text = "\n\n".join("\n".join(document) for document in documents)
    (place / "text.txt").write_text(text)
    (place / "one_document.txt").write_text("\n".join(documents[0]))
    (place / "empty.txt").touch()
    (place / "latin1.txt").write_bytes(b"a caf\xe9\n\nthe dog\n")
    (place / "cut.txt.gz").write_bytes(gzip.compress(text.encode())[:-9])
    (place / "bad.jsonl").write_text('{"text": "a dog"}\n{"txt": "a cat"}\n')
    (place / "empty.tfrecord").touch()
    (place / "garbage.h5").write_text("no weights")
    tokenizer = BertTokenizer(vocabulary)
    create_pretraining_data(
        open_sources([str(place / "text.txt")]),
        [str(place / "train.tfrecord")],
        TextOptions(str(place / "vocab.txt")),
        PretrainingDataOptions(max_seq_length=16, max_predictions_per_seq=3),
    )
    # Made elsewhere: no manifest tells of it.
    shutil.copy(place / "train.tfrecord", place / "foreign.tfrecord")
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=16,
    )
    config.to_json(place / "config.json")
    values = json.loads((place / "config.json").read_text())
    for name, changes in (
        ("small_vocabulary", {"vocab_size": 9}),
        ("unknown_key", {"hidden": 3}),
        ("wider", {"hidden_size": 16}),
        ("decoder", {"is_decoder": True}),
        ("huge", {"hidden_size": 10_000_000}),
    ):
        path = place / f"{name}.json"
        path.write_text(json.dumps({**values, **changes}))
    for name in ("bert", "bad_weights"):
        save_pretrained(
            PretrainedModel.from_config(config, tokenizer), place / name
        )
    (place / "bad_weights" / "model.safetensors").write_text("no weights")
    bare = PretrainedModel.from_config(config, tokenizer).with_parts(["pooler"])
    save_pretrained(bare, place / "hf", format="hf")
    save_pretrained(bare, place / "versions" / "1", format="hf")
    (place / "versions" / "2").mkdir()
    (place / "versions" / "2" / "notes").write_text("mine")
    return place


_VOCABULARY = ["--input_file=text.txt", "--output_file=out/v.txt"]
_DATA = [
    "--input_file=text.txt",
    "--output_file=out/a.tfrecord,out/b.tfrecord",
    "--vocab_file=vocab.txt",
    "--max_seq_length=16",
    "--max_predictions_per_seq=3",
]
_TRAIN = [
    "--input_file=train.tfrecord",
    "--output_dir=out/run",
    "--vocab_file=vocab.txt",
    "--bert_config_file=config.json",
    "--do_lower_case=true",
    "--max_seq_length=16",
    "--max_predictions_per_seq=3",
    "--num_train_steps=2",
    "--num_warmup_steps=1",
    "--train_batch_size=4",
]
_SAVED_MODEL = ["--input_dir=bert", "--output_dir=out/served"]
_CONVERT = ["--input_dir=bert", "--output_dir=out/bert"]
_TFLITE = ["--input_dir=bert", "--output_file=out/bert.tflite"]
_QUERY = ["--model_dir=out/served/1", "--text=a dog"]
_TOOLS = {
    "learn_vocabulary": _VOCABULARY,
    "create_pretraining_data": _DATA,
    "run_pretraining": _TRAIN,
    "convert_checkpoint": _CONVERT,
    "export_saved_model": _SAVED_MODEL,
    "export_tflite": _TFLITE,
    "generate": ["--input_dir=bert", "--prompt=a dog"],
    "query_saved_model": _QUERY,
}

# Program, flags to change (None leaves one out), what the error must say.
_MISTAKES = [
    (
        "learn_vocabulary",
        {"input_file": "no.txt"},
        "No file matches '.*no.txt'",
    ),
    (
        "learn_vocabulary",
        {"input_file": "no*.md"},
        r"No file matches '.*no\*.md",
    ),
    ("learn_vocabulary", {"input_file": "empty.txt"}, "no word in .*empty.txt"),
    (
        "learn_vocabulary",
        {"input_file": "latin1.txt"},
        "latin1.txt .*0xe9 .* 5",
    ),
    ("learn_vocabulary", {"input_file": ""}, "Received: none"),
    ("learn_vocabulary", {"output_file": "text.txt/v"}, "text.txt.*be written"),
    ("learn_vocabulary", {"output_file": "bert"}, "(?i)directory.*bert"),
    ("learn_vocabulary", {"vocab_size": "50"}, "--vocab_size .*=50"),
    ("learn_vocabulary", {"vocab_size": "1000000000"}, "vocab_size=1000000000"),
    ("learn_vocabulary", {"min_frequency": "-4"}, "min_frequency=-4"),
    ("learn_vocabulary", {"output_file": "text.txt"}, "not be an input.*text"),
    (
        "learn_vocabulary",
        {"output_file": "one_document.txt", "overwrite": "true"},
        "one_document.txt exists, and no manifest",
    ),
    ("learn_vocabulary", {"input_file": None}, "Either --input_file or --tfds"),
    ("learn_vocabulary", {"input_file": "bad.jsonl"}, "bad.jsonl, line 2"),
    ("learn_vocabulary", {"text_key": "b"}, "--text_key is for .jsonl.*=b"),
    (
        "learn_vocabulary",
        {"on_bad_line": "skip"},
        "--on_bad_line is for .jsonl",
    ),
    ("learn_vocabulary", {"tfds_split": "test"}, "tfds_split is for --tfds_n"),
    ("learn_vocabulary", {"input_file": "bert"}, "the directory '.*bert'"),
    ("learn_vocabulary", {"vocab_size": "many"}, "vocab_size=many"),
    ("learn_vocabulary", {"kind": "bpe"}, "kind=bpe.*wordpiece"),
    ("learn_vocabulary", {"kind": "byte_bpe"}, "byte_bpe needs.*--output_dir"),
    (
        "learn_vocabulary",
        {"output_dir": "out/a"},
        "--output_dir is not for --kind=wordpiece",
    ),
    (
        "learn_vocabulary",
        {
            "kind": "byte_bpe",
            "output_file": None,
            "output_dir": "out/a",
            "do_lower_case": "true",
        },
        "--do_lower_case is not for --kind=byte_bpe",
    ),
    (
        "learn_vocabulary",
        {
            "kind": "sentencepiece",
            "output_file": None,
            "output_dir": "out/a",
            "min_frequency": "3",
        },
        "--min_frequency is not for --kind=sentencepiece",
    ),
    (
        "create_pretraining_data",
        {"input_file": "*.md"},
        r"No file matches '.*/\*.md",
    ),
    (
        "create_pretraining_data",
        {"input_file": "empty.txt"},
        "no word in .*empty",
    ),
    (
        "create_pretraining_data",
        {"input_file": "latin1.txt"},
        "0xe9 at offset 5",
    ),
    (
        "create_pretraining_data",
        {"input_file": "one_document.txt"},
        "1 document in .*one_document.txt",
    ),
    (
        "create_pretraining_data",
        {"input_file": "text.txt,cut.txt.gz"},
        "cut.txt.gz must be a whole gzip file",
    ),
    (
        "create_pretraining_data",
        {"input_file": "text.txt,bad.jsonl"},
        "bad.jsonl, line 2, .*'text'",
    ),
    (
        "create_pretraining_data",
        {"input_file": "latin1.txt,text.txt", "num_workers": "2"},
        "0xe9 at offset 5",
    ),
    (
        "create_pretraining_data",
        {"input_file": None},
        "Either --input_file or --tfds_name",
    ),
    (
        "create_pretraining_data",
        {"tfds_name": "wikipedia"},
        "Either --input_file or --tfds_name.*tfds_name=wikipedia",
    ),
    (
        "create_pretraining_data",
        {"input_file": None, "tfds_name": "no_such_data_set"},
        "'no_such_data_set' must be|pip install 'tensorflow-datasets",
    ),
    (
        "create_pretraining_data",
        {"output_file": None},
        "Either --output_file or --output_dir",
    ),
    (
        "create_pretraining_data",
        {"output_dir": "out/b"},
        "Either --output_file or --output_dir.*output_dir=.*out/b",
    ),
    (
        "create_pretraining_data",
        {"output_file": "out/a,out/a"},
        "must be different files.*out/a",
    ),
    (
        "create_pretraining_data",
        {"output_file": "text.txt", "overwrite": "true"},
        "must not be an input.*text.txt",
    ),
    (
        "create_pretraining_data",
        {"output_file": "vocab.txt", "overwrite": "true"},
        "must not be an input.*vocab.txt",
    ),
    (
        "create_pretraining_data",
        {"output_file": "config.json", "overwrite": "true"},
        "config.json exists, and no manifest",
    ),
    (
        "create_pretraining_data",
        {"output_file": "train.tfrecord", "dupe_factor": "3"},
        "settings must be those of the earlier run.*dupe_factor",
    ),
    (
        "create_pretraining_data",
        {"output_file": None, "output_dir": "out/b", "num_shards": "121"},
        "120 at most.*121 files",
    ),
    (
        "create_pretraining_data",
        {"output_file": None, "output_dir": "out/b", "num_shards": "1000000"},
        "num_shards=1000000",
    ),
    (
        "create_pretraining_data",
        {"num_shards": "2"},
        "num_shards is for --outp",
    ),
    (
        "create_pretraining_data",
        {"masking": "dynamic", "masked_lm_prob": "0.2"},
        "masked_lm_prob is for --masking=static",
    ),
    (
        "create_pretraining_data",
        {"masking": "dynamic", "do_whole_word_mask": "true"},
        "do_whole_word_mask is for --masking=static",
    ),
    (
        "create_pretraining_data",
        {"masking": "dynamic", "ngram": "3"},
        "ngram is for --masking=static",
    ),
    (
        "create_pretraining_data",
        {"packing": "full_sentences", "short_seq_prob": "0.2"},
        "short_seq_prob is for --packing=segment_pairs or sentence_order",
    ),
    ("create_pretraining_data", {"ngram": "0"}, "from 1 to 10. .*ngram=0"),
    ("create_pretraining_data", {"dupe_factor": "1001"}, "dupe_factor=1001"),
    (
        "create_pretraining_data",
        {"max_seq_length": "1000000000"},
        "max_seq_length=1000000000",
    ),
    (
        "create_pretraining_data",
        {"num_workers": "0"},
        "num_workers=0",
    ),
    (
        "create_pretraining_data",
        {"vocab_file": "no.txt"},
        "No such file.*no.txt",
    ),
    (
        "create_pretraining_data",
        {"vocab_file": "no_specials.txt"},
        r"no_specials.txt .*Missing: \[PAD\]",
    ),
    (
        "create_pretraining_data",
        {"vocab_file": "empty.txt"},
        "empty.txt .*Missing",
    ),
    (
        "create_pretraining_data",
        {"output_file": "text.txt/b"},
        "text.txt.* cannot be written",
    ),
    (
        "create_pretraining_data",
        {"output_file": "out/a.tfrecord,out/c/b"},
        "must be in one folder.*out/a.tfrecord and .*out/c/b",
    ),
    ("create_pretraining_data", {"max_seq_length": "4"}, "max_seq_length=4"),
    (
        "create_pretraining_data",
        {"max_predictions_per_seq": "14"},
        "max_predictions_per_seq=14",
    ),
    ("create_pretraining_data", {"masked_lm_prob": "2"}, "masked_lm_prob=2"),
    ("run_pretraining", {"input_file": "no.tfrecord"}, "No file .*no.tfrecord"),
    (
        "run_pretraining",
        {"input_file": "empty.tfrecord"},
        "empty.tfrecord .*none",
    ),
    (
        "run_pretraining",
        {"input_file": "text.txt"},
        "text.txt must be a TFRecord",
    ),
    (
        "run_pretraining",
        {
            "objective": "left_to_right",
            "init_checkpoint": "bert",
            "vocab_file": None,
            "bert_config_file": None,
        },
        "objective=left_to_right, is_decoder=False",
    ),
    ("run_pretraining", {"eval_file": "no.tfrecord"}, "No file .*no.tfrecord"),
    (
        "run_pretraining",
        {"input_file": "foreign.tfrecord", "max_seq_length": "12"},
        "must have 12 .*Received: 16",
    ),
    (
        "run_pretraining",
        {"input_file": "foreign.tfrecord", "max_predictions_per_seq": "4"},
        "must have 4 .*Received: 3",
    ),
    (
        "run_pretraining",
        {"input_file": "foreign.tfrecord", "max_seq_length": "17"},
        "max_seq_length=17, max_position_embeddings=16",
    ),
    (
        "run_pretraining",
        {
            "input_file": "foreign.tfrecord",
            "bert_config_file": "small_vocabulary.json",
        },
        'vocab_size=9, 17 lines. Write "vocab_size": 17 into',
    ),
    (
        "run_pretraining",
        {"bert_config_file": "decoder.json"},
        "objective=mlm_nsp, --bert_config_file=.*decoder.json",
    ),
    (
        "run_pretraining",
        {"bert_config_file": "unknown_key.json"},
        "unknown_key.json.* hidden=3",
    ),
    (
        "run_pretraining",
        {"bert_config_file": "no.json"},
        "No such file.*no.json",
    ),
    (
        "run_pretraining",
        {"bert_config_file": "text.txt"},
        "text.txt: not a JSON",
    ),
    ("run_pretraining", {"bert_config_file": None}, "bert_config_file"),
    ("run_pretraining", {"vocab_file": None}, "vocab_file"),
    ("run_pretraining", {"vocab_file": "no_specials.txt"}, "Missing: .PAD"),
    (
        "run_pretraining",
        {
            "init_checkpoint": "nowhere",
            "vocab_file": None,
            "bert_config_file": None,
        },
        "No dir.*nowhere",
    ),
    (
        "run_pretraining",
        {"init_checkpoint": "bert", "bert_config_file": None},
        "Either --init_checkpoint or --vocab_file",
    ),
    (
        "run_pretraining",
        {"init_checkpoint": "bert", "vocab_file": None},
        "Either --init_checkpoint or --bert_config_file",
    ),
    (
        "run_pretraining",
        {
            "input_file": "foreign.tfrecord",
            "init_checkpoint": "bert",
            "vocab_file": None,
            "bert_config_file": None,
            "do_lower_case": "false",
        },
        "--do_lower_case says false, .*tokenizer_config.json says true",
    ),
    (
        "run_pretraining",
        {"input_file": "foreign.tfrecord", "do_lower_case": None},
        "No file says whether texts are lower-cased.*--nodo_lower_case",
    ),
    (
        "run_pretraining",
        {"allow_missing": "pooler"},
        "--allow_missing is for --init_checkpoint. .*pooler",
    ),
    ("run_pretraining", {"eval_steps": "5"}, "--eval_steps is for --eval_file"),
    (
        "run_pretraining",
        {"eval_batch_size": "5"},
        "--eval_batch_size is for --eval_file",
    ),
    (
        "run_pretraining",
        {"bert_config_file": "huge.json"},
        "must fit in memory: .* million weights",
    ),
    (
        "run_pretraining",
        {"output_dir": "bert"},
        "--output_dir must be new, empty.*bert",
    ),
    ("run_pretraining", {"output_dir": "text.txt/a"}, "text.txt.*be written"),
    ("run_pretraining", {"num_warmup_steps": "3"}, "warmup_steps.*3"),
    ("run_pretraining", {"learning_rate": "0"}, "learning_rate=0"),
    ("run_pretraining", {"num_train_steps": "0"}, "train_steps.*0"),
    ("run_pretraining", {"train_batch_size": "0"}, "batch_size.*0"),
    ("run_pretraining", {"precision": "float8"}, "precision=float8"),
    (
        "run_pretraining",
        {"train_batch_size": "10", "gradient_accumulation_steps": "4"},
        "multiple of the devices .*train_batch_size=10, 1 devices, .*steps=4",
    ),
    (
        "run_pretraining",
        {"gradient_accumulation_steps": "0"},
        "gradient_accumulation_steps=0",
    ),
    (
        "run_pretraining",
        {"train_batch_size": "1000"},
        r"at least one batch.*\d+ records, --train_batch_size=1000",
    ),
    (
        "run_pretraining",
        {"eval_file": "train.tfrecord", "eval_batch_size": "0"},
        "batch_size.*0",
    ),
    (
        "run_pretraining",
        {"eval_file": "text.txt"},
        "text.txt must be a TFRecord",
    ),
    ("run_pretraining", {"learning_rate": "-1"}, "learning_rate=-1"),
    ("run_pretraining", {"learning_rate": "nan"}, "learning_rate=nan"),
    ("run_pretraining", {"log_steps": "0"}, "log_steps=0"),
    (
        "run_pretraining",
        {"eval_file": "train.tfrecord", "eval_steps": "-1"},
        "eval_steps=-1",
    ),
    (
        "run_pretraining",
        {"save_checkpoints_steps": "0"},
        "save_checkpoints_steps=0",
    ),
    ("run_pretraining", {"keep_checkpoint_max": "0"}, "keep_checkpoint_max=0"),
    (
        "run_pretraining",
        {"steps_per_execution": "0"},
        "steps_per_execution=0",
    ),
    ("run_pretraining", {"optimizer": "sgd"}, "optimizer=sgd"),
    ("run_pretraining", {"on_nan": "ignore"}, "on_nan=ignore"),
    (
        "run_pretraining",
        {"strategy": "mirrored"},
        "mirrored needs at least two devices.*CPU:0",
    ),
    (
        "run_pretraining",
        {"strategy": "multi_worker"},
        "TF_CONFIG, such as .*Received: ''",
    ),
    ("run_pretraining", {"strategy": "tpu"}, "tpu needs a TPU.*TPU_NAME"),
    (
        "run_pretraining",
        {"masked_lm_prob": "0.2"},
        "are for --masking=dynamic",
    ),
    ("generate", {}, "left side only. Received: BERT, which sees both"),
    ("generate", {"input_dir": "nowhere"}, "No directory.*nowhere"),
    ("convert_checkpoint", {"input_dir": "nowhere"}, "No directory.*nowhere"),
    (
        "convert_checkpoint",
        {"input_dir": "bad_weights"},
        "model.safetensors was al",
    ),
    ("convert_checkpoint", {"output_dir": "bert"}, "not be an input.*bert"),
    (
        "convert_checkpoint",
        {"output_dir": "bert", "format": "hf", "overwrite": "true"},
        "not be an input.*bert",
    ),
    (
        "convert_checkpoint",
        {"output_dir": "hf"},
        "checkpoint of another format",
    ),
    (
        "convert_checkpoint",
        {"output_dir": "hf", "format": "hf"},
        "hf/.* exists. .*--overwrite",
    ),
    ("convert_checkpoint", {"output_dir": "text.txt/a"}, "text.txt"),
    ("convert_checkpoint", {"format": "onnx"}, "format=onnx"),
    ("convert_checkpoint", {"allow_missing": "nsp"}, "Received: nsp"),
    ("export_saved_model", {"input_dir": "nowhere"}, "No directory.*nowhere"),
    ("export_saved_model", {"input_dir": "."}, "must be a checkpoint dir"),
    ("export_saved_model", {"input_dir": "bad_weights"}, "model.safetensors"),
    ("export_saved_model", {"output_dir": "bert"}, "not be an input.*bert"),
    (
        "export_saved_model",
        {"output_dir": "versions", "version": "2", "overwrite": "true"},
        "versions/2/notes exists, and no manifest",
    ),
    (
        "export_saved_model",
        {"output_dir": "versions", "overwrite": "true"},
        "replaces only a SavedModel.*versions/1",
    ),
    ("export_saved_model", {"max_seq_length": "0"}, "max_seq_length=0"),
    ("export_saved_model", {"version": "0"}, "version=0"),
    ("export_saved_model", {"input_dir": "hf"}, "--task=text_embedder"),
    (
        "export_saved_model",
        {
            "input_dir": "hf",
            "task": "feature_extractor",
            "do_lower_case": "false",
        },
        "tokenizer_config.json says true, .* says false",
    ),
    ("export_saved_model", {"output_dir": "text.txt"}, "text.txt"),
    ("export_saved_model", {"output_dir": "text.txt/1"}, "text.txt"),
    ("export_saved_model", {"max_seq_length": "17"}, "17"),
    ("export_saved_model", {"max_seq_length": "2"}, "seq_length=2"),
    ("export_saved_model", {"task": "chat"}, "task=chat"),
    ("export_saved_model", {"top_k": "3"}, "is for --task=text_gen.*top_k=3"),
    ("export_saved_model", {"task": "text_generator"}, "left side only"),
    (
        "export_saved_model",
        {"task": "text_generator", "max_seq_length": "9"},
        "is for other tasks.*max_seq_length=9",
    ),
    ("export_tflite", {"input_dir": "nowhere"}, "No directory.*nowhere"),
    (
        "export_tflite",
        {"output_file": "text.txt/a.tflite"},
        "text.txt.*be written",
    ),
    ("export_tflite", {"output_file": "bert"}, "end in .*'.*bert'"),
    ("export_tflite", {"kind": "int4"}, "kind=int4"),
    ("export_tflite", {"kind": "full_int8"}, "no representative texts"),
    ("export_tflite", {"files": "flex"}, "'flex'"),
    ("export_tflite", {"texts_file": "no.txt"}, "no.txt.*--texts_file"),
    ("export_tflite", {"texts_file": "latin1.txt"}, "latin1.txt .*at 5"),
    ("export_tflite", {"texts_file": "empty.txt"}, "texts.*Received: none"),
    ("export_tflite", {"max_seq_length": "0"}, "max_seq_length=0"),
    ("export_tflite", {"max_seq_length": "17"}, "17"),
    ("query_saved_model", {"model_dir": "nowhere"}, "nowhere"),
    ("query_saved_model", {"model_dir": "bert"}, "bert"),
]


_NUM_FIRST = 8
_PATHS = ("_file", "_dir", "_checkpoint")


def _arguments(tool, changes, place, out):
    """The flags of a good call with changes, all paths made absolute."""
    values = dict(flag[2:].split("=", 1) for flag in _TOOLS[tool])
    values = {**values, **changes}
    arguments = []
    for name, value in values.items():
        if value is None:
            continue
        if name.endswith(_PATHS) and value:
            value = ",".join(
                str(place / part)
                if part.partition("/")[0] != "out"
                else str(out.parent / part)
                for part in value.split(",")
            )
        arguments.append(f"--{name}={value}")
    return arguments


def _files(folder):
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file()
    }


def _error(stderr):
    """The line that names the cause, after which nothing may follow."""
    lines = stderr.splitlines()
    assert lines[-1].startswith("Error: "), stderr
    return lines[-1]


@pytest.mark.parametrize("tool", _TOOLS)
def test_missing_flags_are_named(run, tool):
    code, stdout, stderr = run(tool)
    assert code == 1
    assert not stdout
    assert stderr == f"{_error(stderr)}\n"
    required = {
        "learn_vocabulary": _VOCABULARY[1:],
        "create_pretraining_data": _DATA[2:3],
        "run_pretraining": _TRAIN[:2],
        "query_saved_model": _QUERY[:1],
    }.get(tool, _TOOLS[tool])
    for flag in required:
        assert flag.partition("=")[0] in stderr


@pytest.mark.parametrize("tool", _TOOLS)
def test_what_no_flag_takes_is_an_error(run, tool, place, tmp_path):
    arguments = _arguments(tool, {}, place, tmp_path / "out")
    code, _, stderr = run(tool, *arguments, "stray.txt")
    assert code == 1
    assert "Unexpected arguments: stray.txt" in _error(stderr)
    code, _, stderr = run(tool, *arguments, "--no_such_flag=1")
    assert code == 1
    assert "Unknown command line flag 'no_such_flag'" in _error(stderr)
    assert os.listdir(tmp_path) == []


def _first_of_each():
    """The mistakes, all but the first of each program exhaustive."""
    seen = collections.Counter()
    for mistake in _MISTAKES:
        seen[mistake[0]] += 1
        is_first = seen[mistake[0]] <= _NUM_FIRST
        marks = () if is_first else pytest.mark.exhaustive
        yield pytest.param(*mistake, marks=marks)


@pytest.mark.parametrize(
    ("tool", "changes", "message"),
    [*_first_of_each()],
    ids=[
        "-".join(
            [tool, *(f"{name}={value}" for name, value in changes.items())]
        )
        for tool, changes, _ in _MISTAKES
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    run, place, tmp_path, tool, changes, message
):
    before = _files(place)
    code, stdout, stderr = run(
        tool, *_arguments(tool, changes, place, tmp_path / "out")
    )
    assert code != 0
    assert "Traceback" not in stderr
    assert re.search(message, _error(stderr)), stderr
    assert not stdout
    assert _files(place) == before
    assert _files(tmp_path) == {}
    if tool != "create_pretraining_data":  # It has worked in a folder.
        assert not [*tmp_path.iterdir()]


@pytest.mark.exhaustive
def test_a_run_goes_on_under_the_same_flags(run, place, tmp_path):
    def train(**changes):
        arguments = _arguments(
            "run_pretraining", changes, place, tmp_path / "out"
        )
        code, stdout, stderr = run("run_pretraining", *arguments)
        assert not stdout
        assert "Traceback" not in stderr
        return "" if code == 0 else _error(stderr)

    out = tmp_path / "out" / "run"
    assert not train()
    files = {*_files(out)}
    assert {"metrics.jsonl", "model.safetensors", "run.json"} < files
    assert "states/step-00000002.npz" in files
    assert not train()  # It is at its end already.
    before = _files(out)
    changes = {"num_train_steps": "3", "random_seed": "6"}
    error = train(**changes)
    assert "num_train_steps was 2, now 3; random_seed was 12345" in error
    assert "Pass --allow_changed_flags" in error
    assert _files(out) == before
    assert not train(**changes, allow_changed_flags="true")
    assert "states/step-00000003.npz" in _files(out)
    assert not train(**changes, log_steps="1", eval_file="train.tfrecord")
    before = (out / "run.json").read_bytes()
    error = train(
        **changes, bert_config_file="wider.json", allow_changed_flags="true"
    )
    assert (out / "run.json").read_bytes() == before
    assert "step-00000003.npz is of another model" in error


@pytest.mark.exhaustive
def test_a_run_does_not_go_on_with_other_records(run, place, tmp_path):
    records = tmp_path / "records.tfrecord"
    content = (place / "train.tfrecord").read_bytes()
    records.write_bytes(content)
    arguments = _arguments(
        "run_pretraining",
        {"input_file": str(records)},
        place,
        tmp_path / "out",
    )
    assert run("run_pretraining", *arguments)[0] == 0
    records.write_bytes(content[::-1])
    code, _, stderr = run("run_pretraining", *arguments)
    assert code != 0
    before, after = (
        hashlib.sha256(data).hexdigest() for data in (content, content[::-1])
    )
    assert f"records: file 1 was '{before}', now '{after}'" in _error(stderr)


@pytest.mark.smoke("mlm")
@pytest.mark.parametrize("objective", ["mlm", "left_to_right"])
def test_an_objective_trains_and_saves_its_parts(
    objective, run, place, tmp_path
):
    arguments = _arguments(
        "run_pretraining",
        {"objective": objective, "eval_file": "train.tfrecord"},
        place,
        tmp_path / "out",
    )
    code, _, stderr = run("run_pretraining", *arguments)
    assert code == 0, stderr
    bert = from_pretrained(tmp_path / "out" / "run")
    assert bert.parts == {"masked_lm_head"}
    assert bert.config.is_decoder == (objective == "left_to_right")
    points = (tmp_path / "out" / "run" / "metrics.jsonl").read_text()
    last = json.loads(points.splitlines()[-1])
    assert last["mlm_loss"] > 0
    assert "nsp_loss" not in last
    if objective == "left_to_right":
        _check_generator(run, tmp_path / "out" / "run", tmp_path)


def test_what_goes_on_with_texts_is_served(run, place, tmp_path):
    bert = from_pretrained(place / "bert")
    config = dataclasses.replace(bert.config, is_decoder=True)
    settings = bert.tokenizer_settings
    model = PretrainedModel.from_config(config, settings, ["masked_lm_head"])
    save_pretrained(model, tmp_path / "model")
    _check_generator(run, tmp_path / "model", tmp_path)


def _check_generator(run, directory, place):
    sampling = ["--max_new_tokens=4", "--temperature=0.7", "--random_seed=3"]
    source = f"--input_dir={directory}"
    code, stdout, stderr = run("generate", source, "--prompt=a dog", *sampling)
    assert code == 0, stderr
    told = json.loads(stdout)
    served = place / "served"
    code, _, stderr = run(
        "export_saved_model",
        *(source, f"--output_dir={served}", "--task=text_generator"),
        *sampling,
    )
    assert code == 0, stderr
    code, stdout, stderr = run(
        "query_saved_model", f"--model_dir={served / '1'}", "--text=a dog"
    )
    assert code == 0, stderr
    answer = json.loads(stdout)
    assert answer["generated_text"] == [told["text"]]
    assert len(answer["generated_ids"][0]) == 4
