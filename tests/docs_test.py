"""Programs, flags, files and links named in README and docs exist."""

import configparser
import functools
import importlib
import pathlib
import pkgutil
import re
import shlex

import pytest

from keras_bert.command_line import FLAGS_OF_ARGUMENTS

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_PAGES = {
    str(path.relative_to(_ROOT)): path.read_text(encoding="utf-8")
    for path in [
        *_ROOT.glob("*.md"),
        _ROOT / "tfrecords/README.md",
        _ROOT / "docs/tutorials/index.md",
        *sorted((_ROOT / "docs").glob("*.md")),
    ]
}
_CODE = re.compile(r"```.*?```", re.DOTALL)
_COMMANDS = re.compile(
    r"(?:python (?P<benchmark>benchmarks/[\w/]+\.py)"
    r"|keras-bert (?P<program>\w+))"
    r"(?P<rest>(?:[^\n`]*\\\n)*[^\n`]*)"
)
_FOLDERS = "benchmarks|configs|docs|keras_bert|tests|tools"
_PATHS = re.compile(rf"(?<![\w./-])(?:{_FOLDERS})/[\w./-]*[\w/]")
_NAMES = re.compile(r"(?<![\w./-])keras_bert(?:\.\w+)+")
_WORDS_OF_CONSOLE = ("configs", "help", "version", "NAME")


@functools.cache
def _flags(program):
    """Return the names of all flags of a program."""
    module = importlib.import_module(f"keras_bert.cli.{program}")
    if program == "query_saved_model":  # It also runs without the library.
        return {"model_dir", *module._INPUTS}
    own = {*module.PROGRAM.values()}
    arguments = {x for x, name in FLAGS_OF_ARGUMENTS.items() if name in own}
    return {*own, *arguments, "flagfile", "help", "verbosity"}


def _check_command(program, words):
    assert (_ROOT / f"keras_bert/cli/{program}.py").is_file(), program
    for word in words:
        name, _, value = word.removeprefix("--").partition("=")
        if word.startswith("--"):
            names = {name, name.removeprefix("no")}
            assert names & _flags(program), f"{program} {word}"
        if name == "flagfile":
            assert (_ROOT / value).is_file(), word


@pytest.mark.parametrize("page", _PAGES)
def test_commands_are_programs_with_flags_that_exist(page):
    for match in _COMMANDS.finditer(_PAGES[page]):
        words = shlex.split(match["rest"].replace("\\\n", " "), comments=True)
        if match["benchmark"]:  # Its help imports other libraries.
            source = (_ROOT / match["benchmark"]).read_text(encoding="utf-8")
            for name in re.findall(r"--(\w+)", match["rest"]):
                assert f'{name}"' in source, name
        elif match["program"] not in _WORDS_OF_CONSOLE:
            _check_command(match["program"], words)


@pytest.mark.parametrize("page", _PAGES)
def test_files_and_names_in_the_text_exist(page):
    makefile = (_ROOT / "Makefile").read_text(encoding="utf-8")
    text = _PAGES[page]
    for name in {*_PATHS.findall(text)}:
        assert (_ROOT / name).exists(), name
    for name in {*_NAMES.findall(text)}:
        pkgutil.resolve_name(name)
    for target in re.findall(r"(?:^    |`)make ([\w-]+)", text, re.M):
        assert f"\n{target}:" in makefile, target


def test_extras_in_the_text_exist():
    setup = configparser.ConfigParser()
    setup.read(_ROOT / "setup.cfg", encoding="utf-8")
    named = re.findall(r"(?:keras-bert-tf|'\.)\[([a-z,]+)\]", str(_PAGES))
    extras = {extra for names in named for extra in names.split(",")}
    assert extras and extras <= {*setup["options.extras_require"]}


def _anchors(text):
    """Return the anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", _CODE.sub("", text), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("page", _PAGES)
def test_links_lead_somewhere(page):
    text = _CODE.sub("", _PAGES[page])
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, heading = link.partition("#")
        target = (_ROOT / page).parent / name if name else _ROOT / page
        assert target.exists(), link
        if heading:
            assert heading in _anchors(target.read_text("utf-8")), link


def test_the_map_names_all_parts_of_the_package():
    text = _PAGES["docs/code_map.md"]
    package = _ROOT / "keras_bert"
    lacking = [
        path.name
        for path in package.iterdir()
        if path.suffix == ".py" or any(path.glob("*.py"))
        if not path.name.startswith("__") and path.name not in text
    ]
    assert lacking == []
