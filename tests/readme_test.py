"""The code blocks of all pages run; the record tables are correct."""

import contextlib
import dataclasses
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import keras_bert
from keras_bert import features
from tests import tiny

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_RECORDS = (_ROOT / "tfrecords/README.md").read_text(encoding="utf-8")


_PAGES = {
    str(path.relative_to(_ROOT)): path.read_text(encoding="utf-8")
    for path in [
        *_ROOT.glob("*.md"),
        _ROOT / "tfrecords/README.md",
        *sorted((_ROOT / "docs").glob("*.md")),
        _ROOT / "docs/tutorials/index.md",
    ]
}


def _python_blocks():
    """Return blocks and their outputs by page and number."""
    blocks = r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    return {
        f"{pathlib.Path(page).name}-{number}": block
        for page, text in _PAGES.items()
        for number, block in enumerate(re.findall(blocks, text, re.DOTALL))
    }


_PRINTED = _python_blocks()
_BLOCKS = {name: code for name, (code, _) in _PRINTED.items()}
# Tests of training, of serving lines and of Ray run these.
_ELSEWHERE = ("training.md-0", "serving.md-0", "serving.md-1", "serve.md-1")
# Only the environment of `make test-loaders` has these packages.
_OF_LOADERS = re.compile(
    "(?:import|from) (?:mediapipe|openvino|qdrant_client|usearch)"
)
# Files that blocks read and that a program on the page writes.
_DYNAMIC = ("dynamic.tfrecord", "eval.tfrecord")
# Files that users download.
_SQUAD = re.compile(r"(?:train|dev)-v[12]\.\d\.json")
_NLI = "MoritzLaurer/deberta-v3-base-zeroshot-v2.0"
# Code in these languages is not tested, and the line before it says so.
_FOREIGN = ("py", "kotlin", "swift", "dockerfile")
# docs_test.py checks commands.
_KNOWN = ("python", "sh", "text", "math")
_COMMAND = re.compile(
    r"(keras-bert|make|pip|python3?|docker|curl|\S+=\S+|\S*/python) "
)


@pytest.fixture
def place(monkeypatch, tmp_path, tiny_config, elmo_files):
    """Return a directory with the files that the examples read.

    The vocabulary contains the words of all blocks.
    """
    code = " ".join(_BLOCKS.values()).lower()
    words = sorted({*re.findall(r"[a-z0-9]+|[^a-z0-9\s]", code)})
    config = dataclasses.replace(tiny_config, vocab_size=len(words) + 5)
    bert = tiny.pretrained(config, words=words)
    keras_bert.save_pretrained(bert, tmp_path / "bert-base-uncased")
    gpt = tiny.pretrained(tiny.config("openai-gpt", P=64))
    keras_bert.save_pretrained(gpt, tmp_path / "openai-gpt")
    for name in ("configs", "docs", "tfrecords"):
        (tmp_path / name).symlink_to(_ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _make_dynamic_records(path):
    keras_bert.pretraining.create_data(
        keras_bert.pretraining.open_sources(["tfrecords/sample/text.txt"]),
        [path],
        keras_bert.pretraining.TextOptions("tfrecords/sample/vocab.txt"),
        keras_bert.pretraining.DataOptions(masking="dynamic"),
    )


def _make_questions(path):
    """Write a SQuAD file; version 2.0 has an unanswerable question."""
    questions = {"1": ("word3", "word5"), "2": ("word4", "word1")}
    if "v2" in path:
        questions["3"] = ("word5", "")
    data = tiny.squad(("word1 word7 word5", questions))
    pathlib.Path(path).write_text(json.dumps(data))


def _make_beir(directory):
    pathlib.Path(directory, "qrels").mkdir(parents=True)
    for name, text in (("corpus", "Block a card"), ("queries", "lost card")):
        row = {"_id": name, "title": "", "text": text}
        pathlib.Path(directory, f"{name}.jsonl").write_text(json.dumps(row))
    judged = "query-id\tcorpus-id\tscore\nqueries\tcorpus\t1\n"
    pathlib.Path(directory, "qrels/test.tsv").write_text(judged)


def _make_routes(directory):
    """Write an embedder with a Router that normalizes on both routes."""
    embedder = keras_bert.TextEmbedder.from_pretrained(
        "bert-base-uncased", normalize=True
    )
    embedder.save(directory, format="hf")
    pathlib.Path(directory, "manifest.json").unlink()
    path = pathlib.Path(directory, "modules.json")
    modules = json.loads(path.read_text())
    normalize = modules[2]["type"]
    modules[2]["type"] = normalize.replace("Normalize", "Router")
    modules[2]["path"] = "2_Router"
    path.write_text(json.dumps(modules))
    routes = ("query", "document")
    router = {
        "types": {f"{route}_0": normalize for route in routes},
        "structure": {route: [f"{route}_0"] for route in routes},
        "parameters": {},
    }
    for route in routes:
        (path.parent / "2_Router" / f"{route}_0").mkdir(parents=True)
    file = path.parent / "2_Router" / "router_config.json"
    file.write_text(json.dumps(router))


def _classifier(labels=("bad", "good")):
    return keras_bert.TextClassifier.from_pretrained(
        "bert-base-uncased", labels=labels
    )


def _make_mediapipe_file(path):
    embedder = keras_bert.TextEmbedder.from_pretrained("bert-base-uncased")
    embedder.export_tflite(path, kind="float32", files=["mediapipe"])


# Functions that make what a block reads, by a piece of its code.
_MAKERS = {
    'from_pretrained("mood")': lambda: _classifier().save("mood"),
    _NLI: lambda: _classifier(["entailment", "contradiction"]).save(_NLI),
    'read_beir("scifact")': lambda: _make_beir("scifact"),
    '"asymmetric"': lambda: _make_routes("asymmetric"),
    '"vectors_mediapipe.tflite"': lambda: _make_mediapipe_file(
        "vectors.tflite"
    ),
    '"mood-openvino/': lambda: keras_bert.export.export_openvino(
        _classifier(), "mood-openvino"
    ),
}


def _run_block(name):
    """Run a block on its own and return its names."""
    scope = {}
    exec(_BLOCKS[name], scope)
    return scope


def _cases():
    for name, code in _BLOCKS.items():
        needs_loaders = _OF_LOADERS.search(code) is not None
        if name not in _ELSEWHERE:
            yield pytest.param(
                name, marks=[pytest.mark.loaders] * needs_loaders
            )


@pytest.mark.parametrize("page", _PAGES)
def test_code_runs_or_says_that_it_is_not_tested(page):
    text = _PAGES[page]
    for block in re.finditer(r"^```(.*)\n(?:.*\n)*?```$", text, re.MULTILINE):
        *_, before = text[: block.start()].rstrip().splitlines()
        if block[1] in _FOREIGN:
            assert "**not tested**" in before, block[0]
        else:
            is_known = block[1] in _KNOWN or block[1].startswith("{")
            assert is_known, f"{block[0]} is neither tested nor known"
    text = re.sub("```.*?```", "", text, flags=re.DOTALL)
    for line in re.findall(r"\n\n {4}(\S.*)", text):
        assert _COMMAND.match(line) or json.loads(line), line


@pytest.mark.smoke("README", "embeddings.md-0", "tagging.md-0")
@pytest.mark.parametrize("name", [*_cases()])
def test_every_block_runs_on_its_own(place, name):
    for path in _DYNAMIC:
        if path in _BLOCKS[name]:
            _make_dynamic_records(path)
    for piece, make in _MAKERS.items():
        if piece in _BLOCKS[name]:
            make()
    for path in {*_SQUAD.findall(_BLOCKS[name])}:
        _make_questions(path)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        _run_block(name)
    if shown := _PRINTED[name][1]:
        _compare(printed.getvalue(), shown)


def _compare(printed, shown):
    """Compare words exactly, numbers to 0.02: CPUs round differently."""
    number = r"\d+\.\d+"
    assert re.sub(number, "#", printed) == re.sub(number, "#", shown)
    found, expected = (
        [float(x) for x in re.findall(number, text)]
        for text in (printed, shown)
    )
    assert found == pytest.approx(expected, abs=0.02)


def test_library_example_trains(place):
    model = _run_block("training.md-0")["model"]
    assert int(model.optimizer.iterations) == 2 * 20


def test_checkpoints_page_writes(place):
    _run_block("checkpoints.md-0")
    assert (place / "for-transformers" / "model.safetensors").exists()


def test_record_tables_are_the_schemas():
    rows = re.findall(r"^\| `(.*)$", _RECORDS, re.MULTILINE)
    expected = []
    schemas = features.PRETRAINING_FEATURES + features.DYNAMIC_FEATURES
    for feature in schemas:
        length = "1" if feature.length == "1" else f"`{feature.length}`"
        expected.append(
            f"{feature.name}` | {feature.dtype} | {length} | "
            f"{feature.meaning} |"
        )
    assert rows == expected


@pytest.mark.smoke("sample")
@pytest.mark.parametrize(
    ("number", "name"), [(1, "vocab.txt"), (0, "sample.tfrecord")]
)
def test_sample_is_what_its_command_makes(tmp_path, number, name):
    commands = re.findall(
        r"^    keras-bert (.*?[^\\])$", _RECORDS, re.MULTILINE | re.DOTALL
    )
    program, *words = shlex.split(commands[number].replace("\\\n", ""))
    made = tmp_path / name
    words = [
        f"--output_file={made}" if w.startswith("--output_file") else w
        for w in words
    ]
    command = [sys.executable, f"tools/{program}.py", *words]
    subprocess.run(command, cwd=_ROOT, check=True)
    sample = _ROOT / "tfrecords/sample" / name
    assert made.read_bytes() == sample.read_bytes()
