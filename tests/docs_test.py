"""Programs, flags, files and links named in README and docs exist."""

import functools
import os
import pathlib
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys

import pytest

from keras_bert.version import VERSION

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_PAGES = {
    str(path.relative_to(_ROOT)): path.read_text(encoding="utf-8")
    for path in [
        _ROOT / "README.md",
        _ROOT / "CHANGELOG.md",
        _ROOT / "CODE_OF_CONDUCT.md",
        _ROOT / "CONTRIBUTING.md",
        _ROOT / "SECURITY.md",
        _ROOT / "tfrecords/README.md",
        *sorted((_ROOT / "docs").glob("*.md")),
    ]
}
_CODE = re.compile(r"```.*?```", re.DOTALL)
_COMMANDS = re.compile(
    r"(?:python (?P<benchmark>benchmarks/\w+\.py)|keras-bert (?P<program>\w+))"
    r"(?P<rest>(?:[^\n`]*\\\n)*[^\n`]*)"
)
_FOLDERS = "benchmarks|configs|docs|keras_bert|tests|tools"
_PATHS = re.compile(rf"(?<![\w./-])(?:{_FOLDERS})/[\w./-]*[\w/]")
_NAMES = re.compile(r"(?<![\w./-])keras_bert(?:\.\w+)+")
# Flags of Beam's runners, pip, hf, Docker and TensorFlow Serving, and flags
# that absl always defines.
_FLAGS_OF_OTHERS = {
    "allow_version_labels_for_unavailable_models",
    "batching_parameters_file",
    "direct_num_workers",
    "direct_running_mode",
    "enable_batching",
    "environment_config",
    "environment_type",
    "flagfile",
    "flink_master",
    "flink_version",
    "help",
    "job_endpoint",
    "local",
    "model_config_file",
    "model_config_file_poll_wait_seconds",
    "net",
    "parallelism",
    "project",
    "region",
    "rm",
    "sdk_container_image",
    "spark",
    "spark_master_url",
    "temp_location",
    "tensorflow_inter_op_parallelism",
    "tensorflow_intra_op_parallelism",
    "verbosity",
}


@functools.cache
def _manual(program):
    return subprocess.run(
        [sys.executable, _ROOT / program, "--help"],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
    ).stdout


def _has_flag(program, name):
    pattern = rf"^  --(\[no\])?{name}\b|\(or --{name}\b"
    return re.search(pattern, _manual(program), re.M)


def _commands(text):
    """Return the commands in the pages: programs with their arguments."""
    for match in _COMMANDS.finditer(text):
        rest = match["rest"].replace("\\\n", " ")
        program = match["benchmark"] or f"tools/{match['program']}.py"
        if match["program"] not in ("configs", "help", "version", "NAME"):
            yield program, shlex.split(rest, comments=True)


def _heading_links(text):
    """Return the anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", _CODE.sub("", text), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("page", _PAGES)
def test_commands_name_programs_and_flags_that_exist(page):
    for program, words in _commands(_PAGES[page]):
        assert (_ROOT / program).is_file(), f"{page} shows {program}"
        for word in words:
            flag = re.match(r"--(?:no)?(\w+)", word)
            if not flag or program.startswith("benchmarks/"):
                continue
            name = flag[1] if _has_flag(program, flag[1]) else flag[0][2:]
            if name == "flagfile":
                assert (_ROOT / word.partition("=")[2]).is_file(), word
            else:
                assert _has_flag(program, name), f"{page}: {program} {word}"


def test_readme_shows_the_way_from_text_to_a_server():
    _, section = _PAGES["README.md"].split("### Command line")
    programs = [program for program, _ in _commands(section)][:5]
    assert programs == [
        "tools/learn_vocabulary.py",
        "tools/create_pretraining_data.py",
        "tools/run_pretraining.py",
        "tools/export_saved_model.py",
        "tools/export_tflite.py",
    ]


@pytest.mark.parametrize("page", _PAGES)
def test_flags_in_the_text_are_of_some_program(page):
    programs = [f"tools/{path.name}" for path in (_ROOT / "tools").glob("*.py")]
    for name in {*re.findall(r"(?<![\w-])--(\w+)", _PAGES[page])}:
        assert name in _FLAGS_OF_OTHERS or any(
            _has_flag(program, name) for program in programs
        ), f"{page} speaks of --{name}"


@pytest.mark.parametrize("page", _PAGES)
def test_files_in_the_text_exist(page):
    for name in {*_PATHS.findall(_PAGES[page])}:
        assert (_ROOT / name).exists(), f"{page} speaks of {name}"


@pytest.mark.parametrize("page", _PAGES)
def test_names_in_the_text_exist(page):
    for name in {*_NAMES.findall(_PAGES[page])}:
        try:
            pkgutil.resolve_name(name)
        except (AttributeError, ImportError):
            pytest.fail(f"{page} speaks of {name}")


@pytest.mark.parametrize("page", _PAGES)
def test_links_lead_somewhere(page):
    text = _CODE.sub("", _PAGES[page])
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, heading = link.partition("#")
        target = (_ROOT / page).parent / name if name else _ROOT / page
        assert target.exists(), f"{page} links to {link}"
        if heading:
            found = _heading_links(target.read_text(encoding="utf-8"))
            assert heading in found, f"{page} links to {link}"


def test_the_front_page_has_a_line_on_every_page():
    front = "docs/index.md"
    lines = _PAGES[front].splitlines()
    for page in {*_PAGES} - {front}:
        link = os.path.relpath(page, "docs")
        assert any(f"]({link}) | " in line for line in lines), page


def test_the_library_is_spelled_as_the_field_spells_it():
    for folder in ("keras_bert", "tools", "benchmarks", "docs"):
        for path in (_ROOT / folder).rglob("*.[mp][dy]"):
            if "_build" not in path.parts:
                text = path.read_text(encoding="utf-8").lower()
                assert "tokenis" not in text, path


@pytest.fixture(scope="module")
def drawing_program():
    return runpy.run_path(str(_ROOT / "docs/figures/draw.py"))


@pytest.mark.parametrize(
    "name", ["block", "input", "masking", "sight", "attention"]
)
def test_figures_are_what_their_program_draws(drawing_program, name):
    drawn = drawing_program[f"draw_{name}"]().text()
    file = _ROOT / f"docs/figures/{name}.svg"
    assert file.read_text(encoding="utf-8") == drawn


def test_three_ways_of_looking_are_shown_as_they_were_found(drawing_program):
    for table in drawing_program["three_ways_tables"]():
        assert table in _PAGES["docs/three_ways.md"]


def test_make_targets_exist():
    makefile = (_ROOT / "Makefile").read_text(encoding="utf-8")
    for page, text in _PAGES.items():
        for target in re.findall(r"(?:^    |`)make ([\w-]+)", text, re.M):
            assert f"\n{target}:" in makefile, f"{page}: make {target}"


def test_workflows_try_every_python_by_targets_that_exist():
    makefile = (_ROOT / "Makefile").read_text(encoding="utf-8")
    setup = (_ROOT / "setup.cfg").read_text(encoding="utf-8")
    tests = (_ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")
    (tried,) = re.findall(r"python: \[(.*)\]", tests)
    supported = re.findall(r"Python :: (\d\.\d+)$", setup, re.M)
    assert tried.replace('"', "").split(", ") == supported
    for path in (_ROOT / ".github/workflows").glob("*.yml"):
        workflow = path.read_text(encoding="utf-8")
        for target in re.findall(r"run: make ([\w-]+)", workflow):
            assert f"\n{target}:" in makefile
        for action in re.findall(r"uses: (.*)", workflow):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action)


def test_the_citation_is_of_this_version():
    citation = (_ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {VERSION}\n" in citation
