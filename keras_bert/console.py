"""Every program of the project as a word after `keras-bert`.

    keras-bert create_pretraining_data --help
    keras-bert run_pretraining --bert_config_file="$(keras-bert configs)/..."

`keras-bert try` shows at once what a tiny model does. `keras-bert --version`
prints the release, `keras-bert configs` the directory of the published sizes
and recipes. The programs are:

"""

import ast
import importlib.util
import sys

from keras_bert import command_line
from keras_bert.locations import CONFIGS
from keras_bert.locations import PROGRAMS
from keras_bert.version import VERSION


def main():
    """Runs the program that the first word names; the rest are its flags."""
    name, *arguments = sys.argv[1:] or ["--help"]
    if name in command_line.HELP:
        command_line.show(_manual())
    elif name == "configs" and not arguments:
        print(CONFIGS)
    elif name == "--version" and not arguments:
        print(VERSION)
    else:
        _run(name.replace("-", "_"), arguments)


def _run(name, arguments):
    path = PROGRAMS / f"{name}.py"
    if name not in _programs():
        sys.exit(
            f"Error: The first word must be a program. Received: {name}. "
            "keras-bert --help lists them."
        )
    sys.argv = [command_line.installed_name(name), *arguments]
    spec = importlib.util.spec_from_file_location("__main__", path)
    # Its flags are those of the main module, as if Python had started it.
    sys.modules["__main__"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["__main__"])


def _programs():
    """The names of the programs, sorted."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def _manual():
    """The first lines of the docstrings of all programs."""
    names = _programs()
    width = max(map(len, names)) + 2
    lines = [f"  {name:{width}}{_first_line(name)}" for name in names]
    return __doc__.lstrip() + "\n".join(lines)


def _first_line(name):
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)).partition("\n")[0]
