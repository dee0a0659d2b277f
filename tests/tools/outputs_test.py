"""The rule of outputs, as a table over all programs.

An output is new, or one of ours and --overwrite is given; never an input. The
rule itself is tested in tests/outputs_test.py. Here each program is asked once
whether it keeps to it, and in every other way where all is tried.
"""

import dataclasses
import functools
import importlib.util
import json
import pathlib
import shutil

import pytest

from keras_bert import artifacts
from tests.tools.conftest import tiny_bert

pytestmark = pytest.mark.large

_REPOSITORY = pathlib.Path(__file__).parents[2]
_TOOLS = {path.stem for path in (_REPOSITORY / "tools").glob("*.py")}
_WORDS = "the a dog cat bird sees likes finds red old new house".split()
_ANSWER = {"text": "dog", "answer_start": 4}
_QUESTION = {"id": "q", "question": "who sees?", "answers": [_ANSWER]}
_PARAGRAPH = {"context": "the dog sees", "qas": [_QUESTION]}
_SQUAD = {"data": [{"title": "dogs", "paragraphs": [_PARAGRAPH]}]}
_LENGTHS = {"max_seq_length": "16", "max_predictions_per_seq": "3"}


@dataclasses.dataclass(frozen=True)
class _Program:
    """A good call, all files in one folder.

    Args:
        flags: dict from names to values.
        output: the flag of the output; None if there is none.
        inputs: the flags of the inputs.
        within: a file that it writes into its output, if that is a directory.
        writes: the file that it writes, if it is not the output's own name.
        ending: with which an output must end.
        goes_on: whether the same call again goes on with what is there.
        replaces: whether it has --overwrite. What took days to train is
            replaced by nobody.
        package: what it needs and not everybody has.
        is_costly: a call that works takes minutes.
    """

    flags: dict
    output: str = None
    inputs: tuple = ()
    within: str = None
    writes: str = None
    ending: str = ""
    goes_on: bool = False
    replaces: bool = True
    package: str = "tensorflow"
    is_costly: bool = False


_RECORDS = {
    "input_file": "text.txt",
    "vocab_file": "vocab.txt",
    "do_lower_case": "true",
    "output_dir": "records",
    **_LENGTHS,
}
_PROGRAMS = {
    "collect_corpus": _Program(
        {
            "input_file": "text.txt",
            "output_dir": "corpus",
            "eval_share": "0.4",
        },
        "output_dir",
        ("input_file",),
        within="train.txt",
    ),
    "convert_checkpoint": _Program(
        {"input_dir": "bert", "output_dir": "converted", "format": "hf"},
        "output_dir",
        ("input_dir",),
        within="config.json",
    ),
    "create_pretraining_data": _Program(
        {
            **_RECORDS,
            "output_dir": None,
            "output_file": "made.tfrecord",
        },
        "output_file",
        ("input_file", "vocab_file"),
        goes_on=True,
    ),
    "create_pretraining_data_beam": _Program(
        _RECORDS,
        "output_dir",
        ("input_file", "vocab_file"),
        within="00000-of-00001.tfrecord",
        goes_on=True,
        package="apache_beam",
    ),
    "demo": _Program(
        {"input_file": "text.txt", "output_dir": "demo"},
        "output_dir",
        ("input_file",),
        within="vocab.txt",
        is_costly=True,
    ),
    "demo_report": _Program({"output_dir": "demo"}),
    "embed": _Program(
        {
            "model_dir": "bert",
            "input_file": "text.txt",
            "output_file": "vectors.npy",
        },
        "output_file",
        ("model_dir", "input_file"),
        ending=".npy",
    ),
    "export_onnx": _Program(
        {"input_dir": "classifier", "output_dir": "onnx"},
        "output_dir",
        ("input_dir",),
        within="model.onnx",
        package="tf2onnx",
    ),
    "export_saved_model": _Program(
        {"input_dir": "bert", "output_dir": "served"},
        "output_dir",
        ("input_dir",),
        within="1/saved_model.pb",
    ),
    "export_tflite": _Program(
        {
            "input_dir": "bert",
            "output_file": "bert.tflite",
            "kind": "float32",
            "files": "ids",
        },
        "output_file",
        ("input_dir",),
        writes="bert_ids.tflite",
    ),
    "fill_mask": _Program(
        {
            "model_dir": "bert",
            "input_file": "masked.txt",
            "output_file": "filled.jsonl",
        },
        "output_file",
        ("model_dir", "input_file"),
    ),
    "inspect_records": _Program(
        {"input_file": "train.tfrecord", "vocab_file": "vocab.txt"}
    ),
    "learn_vocabulary": _Program(
        {
            "input_file": "text.txt",
            "output_file": "learned.txt",
            "vocab_size": "60",
            "compact_ids": "true",
        },
        "output_file",
        ("input_file",),
        package="tokenizers",
    ),
    "generate": _Program({"input_dir": "bert", "prompt": "a dog"}),
    "playground": _Program({"model_dir": "bert"}),
    "plot_training": _Program(
        {"run_dir": "run", "output_file": "curves.png"},
        "output_file",
        ("run_dir",),
        ending=".png",
        package="matplotlib",
    ),
    "predict": _Program(
        {
            "model_dir": "classifier",
            "input_file": "text.txt",
            "output_file": "answers.jsonl",
        },
        "output_file",
        ("model_dir", "input_file"),
    ),
    "query_saved_model": _Program({"model_dir": "served/1", "text": "a dog"}),
    "query_server": _Program({"model_name": "served", "text": "a dog"}),
    "predict_beam": _Program(
        {
            "model_dir": "served/1",
            "input_file": "text.txt",
            "output_dir": "answers",
        },
        "output_dir",
        ("model_dir", "input_file"),
        within="00000-of-00001.jsonl",
        package="apache_beam",
    ),
    "run_classifier": _Program(
        {
            "init_dir": "bert",
            "train_file": "labelled.tsv",
            "dev_file": "dev.tsv",
            "output_dir": "tuned",
            "num_train_epochs": "1",
        },
        "output_dir",
        ("init_dir", "train_file", "dev_file"),
        within="eval.json",
    ),
    "run_multiple_choice": _Program(
        {
            "train_file": "train.csv",
            "dev_file": "dev.csv",
            "init_dir": "bert",
            "output_dir": "chooser",
            "num_choices": "2",
            "num_train_epochs": "1",
        },
        "output_dir",
        ("train_file", "dev_file", "init_dir"),
        within="eval.json",
    ),
    "run_pretraining": _Program(
        {
            "input_file": "train.tfrecord",
            "vocab_file": "vocab.txt",
            "bert_config_file": "config.json",
            "output_dir": "trained",
            "num_train_steps": "2",
            "num_warmup_steps": "1",
            "train_batch_size": "4",
            **_LENGTHS,
        },
        "output_dir",
        ("input_file", "vocab_file", "bert_config_file"),
        within="run.json",
        goes_on=True,
        replaces=False,
    ),
    "run_squad": _Program(
        {
            "init_dir": "bert",
            "train_file": "squad.json",
            "predict_file": "squad.json",
            "output_dir": "answered",
            "max_seq_length": "16",
            "num_train_epochs": "1",
        },
        "output_dir",
        ("init_dir", "train_file", "predict_file"),
        within="predictions.json",
    ),
    "run_tagger": _Program(
        {
            "train_file": "train.conll",
            "dev_file": "dev.conll",
            "init_dir": "bert",
            "output_dir": "tagger",
            "num_train_epochs": "1",
        },
        "output_dir",
        ("train_file", "dev_file", "init_dir"),
        within="eval.json",
    ),
    "try": _Program({"text": "a [MASK]"}),
}
_WRITERS = [name for name, program in _PROGRAMS.items() if program.output]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A folder with an input of every kind; nobody writes to it."""
    from keras_bert.checkpoints import save_pretrained
    from keras_bert.data import PretrainingDataOptions
    from keras_bert.data import TextOptions
    from keras_bert.data import create_pretraining_data
    from keras_bert.data import open_sources
    from keras_bert.tasks import TextClassifier

    good = tmp_path_factory.mktemp("good")
    documents = [
        [f"The {a} {b} sees a {c}." for b in _WORDS[2:6]]
        for a, c in zip(_WORDS, reversed(_WORDS))
    ]
    text = "\n\n".join("\n".join(document) for document in documents)
    (good / "text.txt").write_text(text)
    (good / "masked.txt").write_text("The [MASK] sees a dog.\n")
    rows = "".join(f"the {word}\t{len(word) % 2}\n" for word in _WORDS)
    for name in ("labelled.tsv", "dev.tsv"):
        (good / name).write_text(f"text\tlabel\n{rows}")
    bert = tiny_bert([*_WORDS, "."])
    bert.tokenizer.vocabulary.save(good / "vocab.txt")
    create_pretraining_data(
        open_sources([str(good / "text.txt")]),
        [str(good / "train.tfrecord")],
        TextOptions(str(good / "vocab.txt")),
        PretrainingDataOptions(**{k: int(v) for k, v in _LENGTHS.items()}),
    )
    bert.config.to_json(good / "config.json")
    save_pretrained(bert, good / "bert")
    classifier = TextClassifier(bert, labels=["0", "1"])
    classifier.save(good / "classifier")
    if importlib.util.find_spec("apache_beam") is not None:
        from keras_bert.export import export_saved_model

        export_saved_model(classifier, good / "served")
    for name in ("train", "dev"):
        (good / f"{name}.conll").write_text("the O\ndog B-X\n\na O\n")
        (good / f"{name}.csv").write_text(
            "sent1,sent2,ending0,ending1,label\nthe dog,it,sees,finds,0\n"
        )
    (good / "run").mkdir()
    (good / "squad.json").write_text(json.dumps(_SQUAD))
    point = {"step": 1, "split": "train", "mlm_loss": 2.0}
    (good / "run" / "metrics.jsonl").write_text(json.dumps(point) + "\n")
    return good


@pytest.fixture
def place(good, tmp_path):
    """A copy of the good folder, and of nothing else."""
    return shutil.copytree(good, tmp_path / "place")


@pytest.fixture
def call(run, place):
    """Runs a program in the folder; its exit code and stderr."""
    return functools.partial(_call, run, place)


def _call(run, place, tool, *more, **changes):
    flags = {**_PROGRAMS[tool].flags, **changes}
    arguments = [f"--{k}={v}" for k, v in flags.items() if v is not None]
    code, _, stderr = run(tool, *arguments, *more, folder=place)
    assert "Traceback" not in stderr
    return code, stderr


def _contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _assert_refused(call, tool, place, *more, **changes):
    """The last line names the cause, nothing is changed; gives the line."""
    before = _contents(place)
    code, stderr = call(tool, *more, **changes)
    assert code == 1, stderr
    line = stderr.splitlines()[-1]
    assert line.startswith("Error: "), stderr
    assert _contents(place) == before
    return line


def _give_input_as_output(place, program, flag):
    """Flags under which an input of the program is its output, too."""
    value = program.flags[flag]
    is_directory = (place / value).is_dir()
    if is_directory and program.within:
        return {program.output: value}
    if is_directory:
        held = next(path for path in sorted((place / value).iterdir()))
        return {program.output: f"{value}/{held.name}"}
    name = f"in{program.ending}"
    if program.within:
        name = f"in/{program.within}"
        (place / "in").mkdir()
    shutil.copy(place / value, place / name)
    return {flag: name, program.output: name.split("/")[0]}


def _put(place, program, text):
    """Writes something where the output goes; gives the manifest's place."""
    path = place / (program.writes or program.flags[program.output])
    if not program.within:
        path.write_text(text)
        return path, artifacts.manifest_beside(path)
    path = path / program.within
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path, path.with_name("manifest.json")


def _overwrite(tool):
    """`--overwrite`, which must not help, if the program has it."""
    return ["--overwrite"] if _PROGRAMS[tool].replaces else []


def _case(*values, is_smoke):
    marks = () if is_smoke else pytest.mark.exhaustive
    return pytest.param(*values, marks=marks)


def test_every_program_has_its_row():
    assert _TOOLS == {*_PROGRAMS}


@pytest.mark.parametrize(
    ("tool", "flag"),
    [
        _case(name, flag, is_smoke=not number)
        for name in _WRITERS
        for number, flag in enumerate(_PROGRAMS[name].inputs)
    ],
)
def test_an_input_is_no_output(call, place, tool, flag):
    _need(tool)
    changes = _give_input_as_output(place, _PROGRAMS[tool], flag)
    line = _assert_refused(call, tool, place, *_overwrite(tool), **changes)
    assert "Unknown" not in line
    assert changes[_PROGRAMS[tool].output] in line


@pytest.mark.parametrize("tool", _WRITERS)
def test_what_others_wrote_stays(call, place, tool):
    _need(tool)
    program = _PROGRAMS[tool]
    path, _ = _put(place, program, "mine")
    (path.parent / "logs").mkdir()
    line = _assert_refused(call, tool, place, *_overwrite(tool))
    assert (program.writes or program.flags[program.output]) in line


@pytest.mark.parametrize(
    "tool",
    [
        _case(name, is_smoke=name == "learn_vocabulary")
        for name in _WRITERS
        if not _PROGRAMS[name].goes_on
    ],
)
def test_what_we_wrote_is_replaced_when_asked(call, run_alone, place, tool):
    _need(tool)
    program = _PROGRAMS[tool]
    if program.within and not program.is_costly:
        # Each knows its own directories by more than the files.
        code, stderr = _call(run_alone, place, tool)
        assert code == 0, stderr
        path = place / program.flags[program.output] / program.within
    else:
        path, manifest = _put(place, program, "ours")
        artifacts.write_manifest(
            manifest, {path.name: path}, {"program": "demo"}
        )
    assert "pass --overwrite" in _assert_refused(call, tool, place)
    if not program.is_costly:
        _assert_overwrites(call, tool, path)


@pytest.mark.parametrize(
    "tool",
    [
        _case(name, is_smoke=name == "create_pretraining_data")
        for name in _WRITERS
        if _PROGRAMS[name].goes_on
    ],
)
def test_what_goes_on_starts_anew_when_asked(call, place, tool):
    _need(tool)
    value = _PROGRAMS[tool].flags[_PROGRAMS[tool].output]
    path = place / value / (_PROGRAMS[tool].within or "")
    for _ in range(2):
        code, stderr = call(tool)
        assert code == 0, stderr
    if _PROGRAMS[tool].replaces:
        _assert_overwrites(call, tool, path)
    else:
        assert "'overwrite'" in _assert_refused(
            call, tool, place, "--overwrite"
        )


def _assert_overwrites(call, tool, path):
    code, stderr = call(tool, "--overwrite")
    assert code == 0, stderr
    assert path.read_bytes() != b"ours"
    manifest, _ = artifacts.manifest_of(path)
    assert manifest is not None, f"{tool} writes no manifest of {path}"


def _need(tool):
    if importlib.util.find_spec(_PROGRAMS[tool].package) is None:
        pytest.skip(f"needs {_PROGRAMS[tool].package}")
