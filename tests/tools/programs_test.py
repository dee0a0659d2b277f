"""Errors and outputs, as a table with one row per program.

An output is new, or written by keras_bert and replaced by --overwrite; it is
never an input. The tests of the library cover its own errors.
"""

import dataclasses
import functools
import importlib.util
import json
import pathlib
import re
import shutil

import pytest

from keras_bert import artifacts
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from tests import tiny

pytestmark = pytest.mark.large

_REPOSITORY = pathlib.Path(__file__).parents[2]
_TOOLS = {path.stem for path in (_REPOSITORY / "tools").glob("*.py")}
_WORDS = "the a dog cat bird sees likes finds red old new house".split()
_SQUAD = tiny.squad(("the dog sees", {"q": ("who sees?", "dog")}))
_LENGTHS = {"max_seq_length": "16", "max_predictions_per_seq": "3"}


@dataclasses.dataclass(frozen=True)
class _Program:
    """Valid call of a program, with all files in one folder.

    Args:
        flags: dict from names to values.
        within: str, a file that it writes if its output is a directory.
        writes: str, the file that it writes if its name is not the output.
        goes_on: bool, whether the same call resumes an earlier one.
        replaces: bool, whether it has --overwrite. Programs that train for
            days do not.
        package: str, an optional package that it needs.
        is_costly: bool, whether a valid call takes minutes.
        mistakes: pairs of changed flags (None removes one) and words of the
            error.
    """

    flags: dict
    within: str = None
    writes: str = None
    goes_on: bool = False
    replaces: bool = True
    package: str = "tensorflow"
    is_costly: bool = False
    mistakes: tuple = ()

    @property
    def output(self):
        """Return the flag of the output, or None."""
        names = ("output_file", "output_dir")
        return next((x for x in names if self.flags.get(x)), None)

    @property
    def inputs(self):
        """Return the flags of the inputs."""
        return [
            name
            for name in self.flags
            if name.endswith(("_file", "_dir")) and not name.startswith("out")
        ]


_RECORDS = {
    "input_file": "text.txt",
    "vocab_file": "vocab.txt",
    "do_lower_case": "true",
    "output_dir": "records",
    **_LENGTHS,
}
_PROGRAMS = {
    "collect_corpus": _Program(
        {"input_file": "text.txt", "output_dir": "corpus", "eval_share": "0.4"},
        within="train.txt",
        mistakes=(
            ({"roots": "."}, "Either --input_file or --roots"),
            (
                {"roots": ".", "input_file": None, "text_key": "a"},
                "--text_key requires --input_file",
            ),
        ),
    ),
    "convert_checkpoint": _Program(
        {"input_dir": "bert", "output_dir": "converted", "format": "hf"},
        within="config.json",
        mistakes=(
            ({"input_dir": "bad_weights"}, "model.safetensors was ch"),
            ({"output_dir": "hf"}, "hf/.* exists. .*--overwrite"),
            ({"allow_missing": "nsp"}, "Received: nsp"),
            ({"do_lower_case": "false"}, "do_lower_case"),
        ),
    ),
    "make_long": _Program(
        {"input_dir": "bert", "output_dir": "long", "max_positions": "1024"},
        within="model.safetensors",
        mistakes=(
            ({"window": "7"}, "--window must be an even integer.*=7"),
            (
                {"max_positions": "3"},
                "--max_positions must be .*max_positions=3",
            ),
            (
                {"format": "hf"},
                "BERT with an `attention_window`.*--format=keras",
            ),
        ),
    ),
    "create_pretraining_data": _Program(
        {**_RECORDS, "output_dir": None, "output_file": "made.tfrecord"},
        goes_on=True,
        mistakes=(
            ({"input_file": "*.md"}, r"No file matches .*\*.md"),
            ({"output_dir": "b"}, "One of --output_file and --output_dir.*b"),
            ({"num_shards": "2"}, "num_shards requires --outp"),
            ({"input_file": "latin1.txt,text.txt"}, "0xe9 at offset 5"),
            (
                {"output_file": "train.tfrecord", "dupe_factor": "3"},
                "settings must match the run in .*dupe_factor",
            ),
            (
                {"masking": "dynamic", "masked_lm_prob": "0.2"},
                "masked_lm_prob requires --masking=static",
            ),
            (
                {"packing": "full_sentences", "short_seq_prob": "0.2"},
                "short_seq_prob requires --packing=segment_pairs or sente",
            ),
        ),
    ),
    "create_pretraining_data_beam": _Program(
        _RECORDS,
        within="00000-of-00001.tfrecord",
        goes_on=True,
        package="apache_beam",
        mistakes=(
            ({"input_file": "no*.txt"}, "Input files must exist. No file mat"),
            ({"input_file": "latin1.txt"}, "latin1.txt must be UTF-8 text"),
        ),
    ),
    "demo": _Program(
        {"input_file": "text.txt", "output_dir": "demo"},
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
        mistakes=(
            ({"output_file": "a.txt"}, "must be a .npy file.*a.txt"),
            ({"input_file": "no.txt"}, "must be a file. Received"),
            ({"prompt": "query"}, "query"),
        ),
    ),
    "export_onnx": _Program(
        {"input_dir": "classifier", "output_dir": "onnx"},
        within="model.onnx",
        package="tf2onnx",
        mistakes=(
            (
                {"format": "openvino", "names": "keras_bert"},
                "--names requires --format=onnx.*names=keras_bert",
            ),
            ({"precision": "float16"}, "float32.*int8.*float16"),
        ),
    ),
    "export_saved_model": _Program(
        {
            "input_dir": "bert",
            "output_dir": "served",
            "task": "text_embedder",
            "dimensions": "8",
            "vector_precision": "binary",
        },
        within="1/saved_model.pb",
        mistakes=(
            ({"task": "fill_mask"}, "requires --task=text_emb.*dimensions=8"),
            ({"top_k": "3"}, "requires --task=text_gen.*top_k=3"),
            ({"do_lower_case": "false"}, "do_lower_case"),
            (
                {"task": "text_generator", "max_seq_length": "9"},
                "does not apply to --task=text_gen.*max_seq_length=9",
            ),
        ),
    ),
    "export_tflite": _Program(
        {
            "input_dir": "bert",
            "output_file": "bert.tflite",
            "kind": "float32",
            "files": "ids",
        },
        writes="bert_ids.tflite",
        mistakes=(
            ({"kind": "full_int8"}, "no representative texts"),
            ({"texts_file": "no.txt"}, "no.txt.*--texts_file"),
        ),
    ),
    "fill_mask": _Program(
        {
            "model_dir": "bert",
            "input_file": "masked.txt",
            "output_file": "filled.jsonl",
        },
        mistakes=(
            ({"output_file": None}, "must be given together"),
            ({"input_file": None}, "One of --text and --input_file"),
            ({"text": "a"}, "One of --text and --input_file"),
        ),
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
        package="tokenizers",
        mistakes=(
            ({"input_file": None}, "One of --input_file and --tfds_name is"),
            ({"text_key": "b"}, "--text_key requires .jsonl.*=b"),
            ({"tfds_split": "test"}, "tfds_split requires --tfds_n"),
            ({"vocab_size": "many"}, "vocab_size=many"),
            (
                {"kind": "byte_bpe", "compact_ids": None},
                "byte_bpe needs.*--output_dir",
            ),
            ({"output_dir": "a"}, "--output_dir does not apply to --kind=wo"),
        ),
    ),
    "generate": _Program(
        {"input_dir": "bert", "prompt": "a dog"},
        mistakes=(({}, "left-to-right model. Received: BERT, which is"),),
    ),
    "playground": _Program({"model_dir": "bert"}),
    "plot_training": _Program(
        {"run_dir": "run", "output_file": "curves.png"},
        package="matplotlib",
        mistakes=(
            ({"output_file": "a.xyz"}, "end in .png, .svg, .pdf.*'a.xyz'"),
            ({"run_dir": "run,other"}, "--run_dir must .*'other'"),
        ),
    ),
    "predict": _Program(
        {
            "model_dir": "classifier",
            "input_file": "text.txt",
            "output_file": "answers.jsonl",
        },
        mistakes=(
            ({"text_column": "a"}, "--text_column does not apply to .txt"),
        ),
    ),
    "query_saved_model": _Program(
        {"model_dir": "served/1", "text": "a dog"},
        mistakes=(({"model_dir": "bert"}, "bert"),),
    ),
    "query_server": _Program({"model_name": "served", "text": "a dog"}),
    "predict_beam": _Program(
        {
            "model_dir": "served/1",
            "input_file": "text.txt",
            "output_dir": "answers",
        },
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
        within="eval.json",
        mistakes=(
            ({"task_name": "sst2"}, "Received: --task_name=sst2, --train_f"),
            (
                {"task_name": "sst2", "train_file": None, "dev_file": None},
                "--task_name needs --data_dir",
            ),
            ({"truncation": "tail", "windows": "max"}, "Either --truncation"),
        ),
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
        within="eval.json",
        mistakes=(
            ({"train_file": None}, "One of --train_file and --tfds_name is"),
            (
                {
                    "train_file": None,
                    "dev_file": None,
                    "tfds_name": "hellaswag",
                    "data_format": "swag",
                },
                "--data_format requires --train_file",
            ),
        ),
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
        within="run.json",
        goes_on=True,
        replaces=False,
        mistakes=(
            ({"vocab_file": None}, "Pass --init_checkpoint, or both"),
            (
                {"init_checkpoint": "bert", "vocab_file": None},
                "Either --init_checkpoint or --bert_config_file",
            ),
            (
                {"input_file": "foreign.tfrecord"},
                "No file says whether texts are lower-cased.*--nodo_lower_case",
            ),
            (
                {"allow_missing": "pooler"},
                "--allow_missing requires --init_che",
            ),
            ({"eval_steps": "5"}, "--eval_steps requires --eval_file"),
            ({"masked_lm_prob": "0.2"}, "need --masking=dynamic"),
        ),
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
        within="predictions.json",
        mistakes=(
            (
                {"train_file": None, "predict_file": None},
                "--train_file or --predict_file must be given",
            ),
            ({"train_file": None}, "Received: a model with no task"),
            ({"train_file": None, "seeds": "2"}, "--seeds requires --train_f"),
            (
                {"ensemble_dirs": "bert"},
                "--ensemble_dirs cannot be combined",
            ),
        ),
    ),
    "run_tagger": _Program(
        {
            "train_file": "train.conll",
            "dev_file": "dev.conll",
            "init_dir": "bert",
            "output_dir": "tagger",
            "num_train_epochs": "1",
        },
        within="eval.json",
    ),
    "try": _Program({"text": "a [MASK]"}),
}
_WRITERS = [
    name
    for name, program in _PROGRAMS.items()
    if program.output and name != "demo_report"
]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Return a folder with an input of every kind; no test writes to it."""
    from keras_bert.pretraining import DataOptions
    from keras_bert.pretraining import TextOptions
    from keras_bert.pretraining import create_data
    from keras_bert.pretraining import open_sources
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
    bert = tiny.make_bert([*_WORDS, "."], max_position_embeddings=16)
    bert.tokenizer.vocabulary.save(good / "vocab.txt")
    create_data(
        open_sources([str(good / "text.txt")]),
        [str(good / "train.tfrecord")],
        TextOptions(str(good / "vocab.txt")),
        DataOptions(**{k: int(v) for k, v in _LENGTHS.items()}),
    )
    bert.config.to_json(good / "config.json")
    for name in ("bert", "bad_weights"):
        save_pretrained(bert, good / name)
    (good / "bad_weights" / "model.safetensors").write_text("no weights")
    save_pretrained(bert.with_parts(["pooler"]), good / "hf", format="hf")
    (good / "latin1.txt").write_bytes(b"a caf\xe9\n\nthe dog\n")
    shutil.copy(good / "train.tfrecord", good / "foreign.tfrecord")
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
    """Return a copy of the good folder."""
    return shutil.copytree(good, tmp_path / "place")


@pytest.fixture
def call(run, place):
    """Return a function that runs a program in the folder."""
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
    """Assert an error without changed files; return its last line."""
    before = _contents(place)
    code, stderr = call(tool, *more, **changes)
    assert code == 1, stderr
    line = stderr.splitlines()[-1]
    assert line.startswith("Error: "), stderr
    assert _contents(place) == before
    return line


def _give_input_as_output(place, program, flag):
    """Return flags that use an input of the program as its output."""
    value = program.flags[flag]
    is_directory = (place / value).is_dir()
    if is_directory and program.within:
        return {program.output: value}
    if is_directory:
        held = next(path for path in sorted((place / value).iterdir()))
        return {program.output: f"{value}/{held.name}"}
    name = f"in{pathlib.Path(program.flags[program.output]).suffix}"
    if program.within:
        name = f"in/{program.within}"
        (place / "in").mkdir()
    shutil.copy(place / value, place / name)
    return {flag: name, program.output: name.split("/")[0]}


def _put(place, program, text):
    """Write something at the output path; return the path of its manifest."""
    path = place / (program.writes or program.flags[program.output])
    if not program.within:
        path.write_text(text)
        return path, artifacts.manifest_path_for(path)
    path = path / program.within
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path, path.with_name("manifest.json")


def _overwrite(tool):
    """Return `--overwrite` if the program has it; it must have no effect."""
    return ["--overwrite"] if _PROGRAMS[tool].replaces else []


def _case(*values, is_smoke):
    marks = () if is_smoke else pytest.mark.exhaustive
    return pytest.param(*values, marks=marks)


def test_every_program_has_its_row():
    assert _TOOLS == {*_PROGRAMS}


@pytest.mark.parametrize(
    ("tool", "changes", "message"),
    [
        (name, *mistake)
        for name, program in _PROGRAMS.items()
        for mistake in program.mistakes
    ],
    ids=str,
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    call, place, tool, changes, message
):
    _need(tool)
    assert re.search(message, _assert_refused(call, tool, place, **changes))


@pytest.mark.parametrize("tool", ["run_pretraining", "query_saved_model"])
def test_missing_and_unknown_flags_are_named(run, tool):
    code, _, stderr = run(tool)
    assert code == 1
    line = stderr.removesuffix("\n")
    assert line.startswith("Error: ") and "\n" not in line
    required = {
        "run_pretraining": ("input_file", "output_dir"),
        "query_saved_model": ("model_dir",),
    }
    assert all(f"--{name}" in line for name in required[tool])
    flags = [f"--{k}={v}" for k, v in _PROGRAMS[tool].flags.items()]
    for more, message in (
        ("stray.txt", " arguments: stray.txt"),
        ("--no_such_flag=1", "no_such_flag"),
    ):
        code, _, stderr = run(tool, *flags, more)
        assert code == 1 and message in stderr.splitlines()[-1]


@pytest.mark.exhaustive
def test_a_text_is_continued_by_a_program_and_a_saved_model(run, place):
    bert = from_pretrained(place / "bert")
    config = dataclasses.replace(bert.config, is_decoder=True)
    settings = bert.tokenizer_settings
    model = PretrainedModel.from_config(config, settings, ["masked_lm_head"])
    save_pretrained(model, place / "left")
    flags = ("--input_dir=left", "--max_new_tokens=4", "--temperature=0.7")
    flags += ("--random_seed=3",)
    code, stdout, stderr = run(
        "generate", "--prompt=a dog", *flags, folder=place
    )
    assert code == 0, stderr
    made = ("--output_dir=made", "--task=text_generator")
    code, _, stderr = run("export_saved_model", *made, *flags, folder=place)
    assert code == 0, stderr
    query = ("--model_dir=made/1", "--text=a dog")
    code, answer, stderr = run("query_saved_model", *query, folder=place)
    assert code == 0, stderr
    answer = json.loads(answer)
    assert answer["generated_text"] == [json.loads(stdout)["text"]]
    assert len(answer["generated_ids"][0]) == 4


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
        # Each recognizes its directories by more than the files.
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


@pytest.mark.parametrize(
    "tool",
    [
        _case(name, is_smoke=name == "learn_vocabulary")
        for name in _PROGRAMS
        if name not in ("demo", "playground", "query_server")
    ],
)
def test_the_messages_of_tensorflow_are_hidden(run_alone, place, tool):
    _need(tool)
    stderr = _call(run_alone, place, tool)[1]
    assert not re.search("oneDNN|cuda|InitializeLog", stderr)


def _assert_overwrites(call, tool, path):
    code, stderr = call(tool, "--overwrite")
    assert code == 0, stderr
    assert path.read_bytes() != b"ours"
    manifest, _ = artifacts.manifest_of(path)
    assert manifest is not None, f"{tool} writes no manifest of {path}"


def _need(tool):
    if importlib.util.find_spec(_PROGRAMS[tool].package) is None:
        pytest.skip(f"needs {_PROGRAMS[tool].package}")
