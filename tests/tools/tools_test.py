"""Every program: what it says of mistakes, and texts that it generates."""

import dataclasses
import gzip
import json
import os
import re
import shutil

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.data import PretrainingDataOptions
from keras_bert.data import TextOptions
from keras_bert.data import create_pretraining_data
from keras_bert.data import open_sources
from tests.tools.conftest import tiny_bert

_WORDS = "the a dog cat bird sees likes finds red old new house".split()

pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with good and bad files of every kind; nobody writes to it."""
    place = tmp_path_factory.mktemp("place")
    bert = tiny_bert(_WORDS)
    bert.tokenizer.vocabulary.save(place / "vocab.txt")
    documents = [
        [f"the {a} {b} sees a {c}" for b in _WORDS[2:6]]
        for a, c in zip(_WORDS, reversed(_WORDS))
    ]
    text = "\n\n".join("\n".join(document) for document in documents)
    (place / "text.txt").write_text(text)
    (place / "empty.txt").touch()
    (place / "latin1.txt").write_bytes(b"a caf\xe9\n\nthe dog\n")
    (place / "cut.txt.gz").write_bytes(gzip.compress(text.encode())[:-9])
    create_pretraining_data(
        open_sources([str(place / "text.txt")]),
        [str(place / "train.tfrecord")],
        TextOptions(str(place / "vocab.txt")),
        PretrainingDataOptions(max_seq_length=16, max_predictions_per_seq=3),
    )
    # Made elsewhere: no manifest tells of it.
    shutil.copy(place / "train.tfrecord", place / "foreign.tfrecord")
    bert.config.to_json(place / "config.json")
    for name in ("bert", "bad_weights"):
        save_pretrained(bert, place / name)
    (place / "bad_weights" / "model.safetensors").write_text("no weights")
    bare = bert.with_parts(["pooler"])
    save_pretrained(bare, place / "hf", format="hf")
    (place / "versions" / "2").mkdir(parents=True)
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

# By program, flags to change (None leaves one out), and words of the error.
# The library's own errors are tested where they are raised.
_MISTAKES = {
    "learn_vocabulary": [
        ({"input_file": None}, "One of --input_file and --tfds_name is"),
        ({"input_file": "empty.txt"}, "no word in .*empty.txt"),
        ({"output_file": "text.txt"}, "not be an input.*text"),
        ({"text_key": "b"}, "--text_key is for .jsonl.*=b"),
        ({"tfds_split": "test"}, "tfds_split is for --tfds_n"),
        ({"vocab_size": "many"}, "vocab_size=many"),
        ({"kind": "byte_bpe"}, "byte_bpe needs.*--output_dir"),
        ({"output_dir": "out/a"}, "--output_dir is not for --kind=wordpiece"),
        (
            {
                "kind": "byte_bpe",
                "output_file": None,
                "output_dir": "out/a",
                "do_lower_case": "true",
            },
            "--do_lower_case is not for --kind=byte_bpe",
        ),
    ],
    "create_pretraining_data": [
        ({"input_file": "*.md"}, r"No file matches '.*/\*.md"),
        ({"input_file": "text.txt,cut.txt.gz"}, "cut.txt.gz must be a whole"),
        (
            {"input_file": "latin1.txt,text.txt", "num_workers": "2"},
            "0xe9 at offset 5",
        ),
        (
            {"output_dir": "out/b"},
            "One of --output_file and --output_dir.*out/b",
        ),
        ({"num_shards": "2"}, "num_shards is for --outp"),
        ({"output_file": "vocab.txt", "overwrite": "true"}, "not be an input"),
        (
            {"output_file": "train.tfrecord", "dupe_factor": "3"},
            "settings must be those of the earlier run.*dupe_factor",
        ),
        (
            {"masking": "dynamic", "masked_lm_prob": "0.2"},
            "masked_lm_prob is for --masking=static",
        ),
        (
            {"packing": "full_sentences", "short_seq_prob": "0.2"},
            "short_seq_prob is for --packing=segment_pairs or sentence_order",
        ),
    ],
    "run_pretraining": [
        ({"input_file": "text.txt"}, "text.txt must be a TFRecord"),
        (
            {"init_checkpoint": "bert", "bert_config_file": None},
            "Either --init_checkpoint or --vocab_file",
        ),
        (
            {"init_checkpoint": "bert", "vocab_file": None},
            "Either --init_checkpoint or --bert_config_file",
        ),
        (
            {"input_file": "foreign.tfrecord", "do_lower_case": None},
            "No file says whether texts are lower-cased.*--nodo_lower_case",
        ),
        ({"allow_missing": "pooler"}, "--allow_missing is for --init_check"),
        ({"eval_steps": "5"}, "--eval_steps is for --eval_file"),
        ({"learning_rate": "nan"}, "--learning_rate.*nan"),
        ({"masked_lm_prob": "0.2"}, "are for --masking=dynamic"),
    ],
    "generate": [({}, "left side only. Received: BERT, which sees both")],
    "convert_checkpoint": [
        ({"input_dir": "bad_weights"}, "model.safetensors was al"),
        ({"output_dir": "hf", "format": "hf"}, "hf/.* exists. .*--overwrite"),
        ({"allow_missing": "nsp"}, "Received: nsp"),
    ],
    "export_saved_model": [
        ({"input_dir": "nowhere"}, "No directory.*nowhere"),
        (
            {"output_dir": "versions", "version": "2", "overwrite": "true"},
            "versions/2/notes exists, and no manifest",
        ),
        ({"top_k": "3"}, "is for --task=text_gen.*top_k=3"),
        (
            {"task": "text_generator", "max_seq_length": "9"},
            "is for other tasks.*max_seq_length=9",
        ),
    ],
    "export_tflite": [
        ({"kind": "full_int8"}, "no representative texts"),
        ({"texts_file": "no.txt"}, "no.txt.*--texts_file"),
        ({"texts_file": "latin1.txt"}, "latin1.txt, line 1, .*0xe9"),
    ],
    "query_saved_model": [({"model_dir": "bert"}, "bert")],
}


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


@pytest.mark.parametrize(
    ("tool", "changes", "message"),
    [(tool, *row) for tool, rows in _MISTAKES.items() for row in rows],
    ids=str,
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
