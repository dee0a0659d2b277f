"""Errors and outputs, as a table with one row per program.

An output is new, or written by keras_bert and replaced by --overwrite; it is
never an input. The tests of the library cover its own errors.
"""

import dataclasses
import functools
import json
import pathlib
import re
import shutil

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.files.manifest import manifest_of
from keras_bert.tasks import TextGenerator

pytestmark = pytest.mark.large

_LENGTHS = "max_seq_length=16 max_predictions_per_seq=3"


@dataclasses.dataclass(frozen=True)
class _Program:
    """Valid call of a program in the folder `files`.

    Args:
        call: str, flags without dashes.
        mistakes: pairs of changed flags, as in `call`, and words of the error.
            An empty value removes a flag.
        within: str, a file that it writes if its output is a directory.
        writes: str, the file that it writes if its name is not the output.
        goes_on: bool, whether the same call resumes an earlier one.
        replaces: bool, whether it has --overwrite. Programs that train for
            days do not.
        needs_beam: bool, whether it needs Apache Beam.
    """

    call: str
    mistakes: tuple = ()
    within: str = None
    writes: str = None
    goes_on: bool = False
    replaces: bool = True
    needs_beam: bool = False

    @property
    def flags(self):
        return _flags(self.call)

    @property
    def output(self):
        """Return the flag of the output, or None."""
        names = ("output_file", "output_dir")
        return next((x for x in names if x in self.flags), None)

    @property
    def inputs(self):
        """Return the flags of the inputs."""
        return [
            name
            for name in self.flags
            if name.endswith(("_file", "_dir")) and not name.startswith("out")
        ]


def _flags(call):
    """Return the flags of a call by name."""
    return dict(word.split("=", 1) for word in call.split())


_PROGRAMS = {
    "collect_corpus": _Program(
        "input_file=text.txt output_dir=corpus eval_share=0.4",
        (
            ("roots=.", "Either --input_file or --roots"),
            ("roots=. input_file= text_key=a", "--text_key requires --inp"),
            ("roots=run input_file=", "Received: 0 for training and 0 for ev"),
        ),
        within="train.txt",
    ),
    "convert_checkpoint": _Program(
        "input_dir=bert output_dir=converted format=hf",
        within="config.json",
    ),
    "make_long": _Program(
        "input_dir=bert output_dir=long max_positions=1024",
        (("window=7", "--window must be an even integer.*=7"),),
        within="model.safetensors",
    ),
    "create_pretraining_data": _Program(
        "input_file=text.txt vocab_file=vocab.txt do_lower_case=true "
        f"output_file=made.tfrecord {_LENGTHS}",
        (
            ("output_dir=b", "One of --output_file and --output_dir.*b"),
            ("num_shards=2", "num_shards requires --outp"),
            (
                "masking=dynamic masked_lm_prob=0.2",
                "masked_lm_prob requires --masking=static",
            ),
            (
                "packing=full_sentences short_seq_prob=0.2",
                "short_seq_prob requires --packing=segment_pairs or sente",
            ),
        ),
        goes_on=True,
    ),
    "create_pretraining_data_beam": _Program(
        "input_file=text.txt vocab_file=vocab.txt do_lower_case=true "
        f"output_dir=records {_LENGTHS}",
        (("input_file=no*.txt", "Input files must exist. No file mat"),),
        within="00000-of-00001.tfrecord",
        needs_beam=True,
    ),
    "embed": _Program(
        "model_dir=bert input_file=text.txt output_file=vectors.npy",
        (("output_file=a.txt", "must be a .npy file.*a.txt"),),
    ),
    "export_onnx": _Program(
        "input_dir=classifier output_dir=onnx",
        (
            (
                "format=openvino names=keras_bert",
                "--names requires --format=onnx.*names=keras_bert",
            ),
        ),
        within="model.onnx",
    ),
    "export_saved_model": _Program(
        "input_dir=bert output_dir=served task=text_embedder dimensions=8 "
        "vector_precision=binary",
        (
            ("task=fill_mask", "requires --task=text_emb.*dimensions=8"),
            ("top_k=3", "requires --task=text_gen.*top_k=3"),
            (
                "task=text_generator max_seq_length=9",
                "does not apply to --task=text_gen.*max_seq_length=9",
            ),
        ),
        within="1/saved_model.pb",
    ),
    "export_tflite": _Program(
        "input_dir=bert output_file=bert.tflite kind=float32 files=ids",
        (("kind=full_int8", "no representative texts"),),
        writes="bert_ids.tflite",
    ),
    "fill_mask": _Program(
        "model_dir=bert input_file=masked.txt output_file=filled.jsonl",
        (
            ("output_file=", "must be given together"),
            ("input_file=", "One of --text and --input_file"),
        ),
    ),
    "generate": _Program(
        "input_dir=bert prompt=dog",
        (("", "left-to-right model. Received: BERT, which is"),),
    ),
    "inspect_records": _Program(
        "input_file=train.tfrecord vocab_file=vocab.txt",
    ),
    "learn_vocabulary": _Program(
        "input_file=text.txt output_file=learned.txt vocab_size=60 "
        "compact_ids=true",
        (
            ("text_key=b", "--text_key requires .jsonl.*=b"),
            ("tfds_split=test", "tfds_split requires --tfds_n"),
            ("kind=byte_bpe compact_ids=", "byte_bpe needs.*--output_dir"),
            ("kind=byte_bpe", "compact_ids does not apply to --kind=byte_bpe"),
            ("output_dir=a", "--output_dir does not apply to --kind=wo"),
        ),
    ),
    "plot_training": _Program(
        "run_dir=run output_file=curves.png",
        (
            ("output_file=a.xyz", "end in .png, .svg, .pdf.*'a.xyz'"),
            ("run_dir=run,other", "--run_dir must .*'other'"),
        ),
    ),
    "predict": _Program(
        "model_dir=classifier input_file=text.txt output_file=answers.jsonl",
        (
            ("text_column=a", "--text_column does not apply to .txt"),
            (
                "input_file=dev.tsv text_column=pair word_column=1",
                "text_column cannot be combined with --word_column",
            ),
        ),
    ),
    "predict_beam": _Program(
        "model_dir=served/1 input_file=text.txt output_dir=answers",
        within="00000-of-00001.jsonl",
        needs_beam=True,
    ),
    "query_saved_model": _Program(
        "model_dir=bert text=dog",
        (
            ("", "must be a SavedModel, or a directory with num.*'bert'"),
            ("model_dir=", "required: --model_dir. --help shows"),
            ("txt=a", "unrecognized arguments: --txt=a"),
        ),
    ),
    "run_classifier": _Program(
        "init_dir=bert train_file=train.tsv dev_file=dev.tsv output_dir=tuned "
        "text_column=sentence num_train_epochs=1",
        (
            ("task_name=sst2", "Received: --task_name=sst2, --train_f"),
            (
                "task_name=sst2 train_file= dev_file= text_column=",
                "--task_name needs --data_dir",
            ),
            ("truncation=tail windows=max", "Either --truncation"),
            ("search=paper learning_rate=1", "--learning_rate is chosen by"),
            ("temperature=3", "--temperature requires --teacher_dir"),
            ("regression=true new_head=true", "does not apply to regression"),
        ),
        within="eval.json",
    ),
    "run_multiple_choice": _Program(
        "init_dir=bert train_file=train.csv dev_file=dev.csv "
        "output_dir=chooser num_choices=2 num_train_epochs=1",
        (
            ("train_file=", "One of --train_file and --tfds_name is"),
            (
                "train_file= dev_file= tfds_name=hellaswag data_format=swag",
                "--data_format requires --train_file",
            ),
        ),
        within="eval.json",
    ),
    "run_pretraining": _Program(
        "input_file=train.tfrecord vocab_file=vocab.txt "
        "bert_config_file=config.json output_dir=trained num_train_steps=2 "
        f"num_warmup_steps=1 train_batch_size=4 {_LENGTHS}",
        (
            ("vocab_file=", "Pass --init_checkpoint, or both"),
            (
                "init_checkpoint=bert vocab_file=",
                "Either --init_checkpoint or --bert_config_file",
            ),
            ("allow_missing=pooler", "--allow_missing requires --init_che"),
            ("eval_steps=5", "--eval_steps requires --eval_file"),
        ),
        within="run.json",
        goes_on=True,
        replaces=False,
    ),
    "run_squad": _Program(
        "init_dir=bert train_file=squad.json predict_file=squad.json "
        "output_dir=answered max_seq_length=16 num_train_epochs=1",
        (
            (
                "train_file= predict_file=",
                "--train_file or --predict_file must be given",
            ),
            ("train_file=", "Received: a model with no task"),
            ("train_file= seeds=2", "--seeds requires --train_f"),
            ("ensemble_dirs=bert", "--ensemble_dirs cannot be combined"),
        ),
        within="predictions.json",
    ),
    "run_tagger": _Program(
        "init_dir=bert train_file=train.conll dev_file=dev.conll "
        "output_dir=tagger num_train_epochs=1",
        within="eval.json",
    ),
    "try": _Program("text=[MASK]"),
}
_WRITERS = [name for name, program in _PROGRAMS.items() if program.output]
# Their own tests run these.
_ELSEWHERE = {"demo", "demo_report", "playground", "query_server", "serve"}


@pytest.fixture
def place(files, tmp_path):
    """Return a copy of the files."""
    return shutil.copytree(files, tmp_path / "place")


@pytest.fixture
def call(run, place):
    """Return a function that runs a program in the folder."""
    return functools.partial(_call, run, place)


def _call(run, place, tool, *more, **changes):
    flags = {**_PROGRAMS[tool].flags, **changes}
    arguments = [f"--{k}={v}" for k, v in flags.items() if v]
    code, _, stderr = run(tool, *arguments, *more, folder=place)
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
        held = min((place / value).iterdir())
        return {program.output: f"{value}/{held.name}"}
    name = f"in{pathlib.Path(program.flags[program.output]).suffix}"
    if program.within:
        name = f"in/{program.within}"
        (place / "in").mkdir()
    shutil.copy(place / value, place / name)
    return {flag: name, program.output: name.split("/")[0]}


def _overwrite(tool):
    """Return `--overwrite` if the program has it; it must have no effect."""
    return ["--overwrite"] if _PROGRAMS[tool].replaces else []


def _case(*values, is_smoke=True):
    """Return a case; the first value is the program."""
    marks = [pytest.mark.beam] * _PROGRAMS[values[0]].needs_beam
    marks += [pytest.mark.exhaustive] * (not is_smoke)
    return pytest.param(*values, marks=marks)


def test_every_program_has_its_row():
    tools = pathlib.Path(__file__).parents[2] / "tools"
    assert {x.stem for x in tools.glob("*.py")} == {*_PROGRAMS} | _ELSEWHERE


@pytest.mark.parametrize(
    ("tool", "changes", "message"),
    [
        _case(name, *mistake)
        for name, program in _PROGRAMS.items()
        for mistake in program.mistakes
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    call, place, tool, changes, message
):
    line = _assert_refused(call, tool, place, **_flags(changes))
    assert re.search(message, line)


@pytest.mark.parametrize(
    ("tool", "flag"),
    [
        _case(name, flag, is_smoke=not number)
        for name in _WRITERS
        for number, flag in enumerate(_PROGRAMS[name].inputs)
    ],
)
def test_an_input_is_no_output(call, place, tool, flag):
    changes = _give_input_as_output(place, _PROGRAMS[tool], flag)
    line = _assert_refused(call, tool, place, *_overwrite(tool), **changes)
    assert "Unknown" not in line
    assert changes[_PROGRAMS[tool].output] in line


@pytest.mark.parametrize("tool", [_case(name) for name in _WRITERS])
def test_what_others_wrote_stays(call, place, tool):
    program = _PROGRAMS[tool]
    name = program.writes or program.flags[program.output]
    path = place / name / (program.within or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    assert name in _assert_refused(call, tool, place, *_overwrite(tool))


@pytest.mark.parametrize(
    "tool",
    [
        _case(x, is_smoke=x in ("create_pretraining_data", "learn_vocabulary"))
        for x in _WRITERS
    ],
)
def test_what_we_wrote_is_replaced_when_asked(call, place, tool):
    program = _PROGRAMS[tool]
    code, stderr = call(tool)
    assert code == 0, stderr
    if program.goes_on:
        assert call(tool)[0] == 0
    else:
        assert "pass --overwrite" in _assert_refused(call, tool, place)
    if not program.replaces:
        message = _assert_refused(call, tool, place, "--overwrite")
        assert "'overwrite'" in message
        return
    code, stderr = call(tool, "--overwrite")
    assert code == 0, stderr
    name = program.writes or program.flags[program.output]
    path = place / name / (program.within or "")
    assert manifest_of(path)[0] is not None


@pytest.mark.parametrize(
    "tool",
    [
        _case("learn_vocabulary", is_smoke=True),
        _case("export_saved_model", is_smoke=False),
    ],
)
def test_the_messages_of_tensorflow_are_hidden(run_alone, place, tool):
    stderr = _call(run_alone, place, tool)[1]
    assert not re.search("oneDNN|cuda|InitializeLog", stderr)


def test_a_text_is_continued(run, place):
    bert = from_pretrained(place / "bert")
    config = dataclasses.replace(bert.config, is_decoder=True)
    settings = bert.tokenizer_settings
    model = PretrainedModel.from_config(config, settings, ["masked_lm_head"])
    save_pretrained(model, place / "left")
    options = {"max_new_tokens": 4, "temperature": 0.7, "top_k": 5}
    flags = [f"--{name}={value}" for name, value in options.items()]
    flags += ["--input_dir=left", "--prompt=a dog", "--random_seed=3"]
    code, stdout, stderr = run("generate", *flags, folder=place)
    assert code == 0, stderr
    generator = TextGenerator(model, seed=3, **options)
    (text,) = generator.generate(["a dog"])
    assert json.loads(stdout) == {"prompt": "a dog", "text": text}
