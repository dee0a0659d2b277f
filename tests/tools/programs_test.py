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
from tests.tools.calls import PROGRAMS
from tests.tools.calls import WRITERS
from tests.tools.calls import flags_of

pytestmark = pytest.mark.large

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
    flags = {**PROGRAMS[tool].flags, **changes}
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
    return ["--overwrite"] if PROGRAMS[tool].replaces else []


def _case(*values, is_smoke=True):
    """Return a case; the first value is the program."""
    marks = [pytest.mark.beam] * PROGRAMS[values[0]].needs_beam
    marks += [pytest.mark.exhaustive] * (not is_smoke)
    return pytest.param(*values, marks=marks)


def test_every_program_has_its_row():
    tools = pathlib.Path(__file__).parents[2] / "tools"
    assert {x.stem for x in tools.glob("*.py")} == {*PROGRAMS} | _ELSEWHERE


@pytest.mark.parametrize(
    ("tool", "changes", "message"),
    [
        _case(name, *mistake)
        for name, program in PROGRAMS.items()
        for mistake in program.mistakes
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    call, place, tool, changes, message
):
    line = _assert_refused(call, tool, place, **flags_of(changes))
    assert re.search(message, line)


@pytest.mark.parametrize(
    ("tool", "flag"),
    [
        _case(name, flag, is_smoke=not number)
        for name in WRITERS
        for number, flag in enumerate(PROGRAMS[name].inputs)
    ],
)
def test_an_input_is_no_output(call, place, tool, flag):
    changes = _give_input_as_output(place, PROGRAMS[tool], flag)
    line = _assert_refused(call, tool, place, *_overwrite(tool), **changes)
    assert "Unknown" not in line
    assert changes[PROGRAMS[tool].output] in line


@pytest.mark.parametrize("tool", [_case(name) for name in WRITERS])
def test_what_others_wrote_stays(call, place, tool):
    program = PROGRAMS[tool]
    name = program.writes or program.flags[program.output]
    path = place / name / (program.within or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    assert name in _assert_refused(call, tool, place, *_overwrite(tool))


@pytest.mark.parametrize(
    "tool",
    [
        _case(x, is_smoke=x in ("create_pretraining_data", "learn_vocabulary"))
        for x in WRITERS
    ],
)
def test_what_we_wrote_is_replaced_when_asked(call, place, tool):
    program = PROGRAMS[tool]
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
