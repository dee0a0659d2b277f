"""Usage: keras-bert PROGRAM [--flag=...]

Train, try and export BERT and its relatives. `keras-bert PROGRAM --help` is the
manual of a program. In a clone, `python tools/PROGRAM.py` is the same.

  keras-bert try         shows what a tiny model does, without a network
  keras-bert help        prints this text
  keras-bert version     prints the release
  keras-bert configs     prints the directory of the model sizes and recipes
"""

import ast
import difflib
import importlib.util
import sys

from keras_bert import command_line
from keras_bert.locations import CONFIGS
from keras_bert.locations import PROGRAMS
from keras_bert.version import VERSION

_JOBS = {
    "Try a model": "try playground fill_mask embed generate",
    "Fine-tune": "run_classifier run_tagger run_squad run_multiple_choice "
    "predict",
    "Export and serve": "export_saved_model export_tflite export_onnx "
    "query_saved_model query_server",
    "Pre-train": "demo collect_corpus learn_vocabulary "
    "create_pretraining_data inspect_records run_pretraining plot_training "
    "demo_report",
    "Convert checkpoints": "convert_checkpoint make_long",
    "Use many machines": "create_pretraining_data_beam predict_beam",
}


def main():
    """Run the program named by the first argument with the other arguments."""
    name, *arguments = sys.argv[1:] or ["help"]
    if name == "help" and len(arguments) == 1:
        name, *arguments = [*arguments, "--help"]
    word = name.removeprefix("--")
    if name in command_line.HELP or (word == "help" and not arguments):
        command_line.show(_manual())
    elif name == "configs" and not arguments:
        print(CONFIGS)
    elif word == "version" and not arguments:
        print(VERSION)
    else:
        _run(name.replace("-", "_"), arguments)


def _run(name, arguments):
    programs = " ".join(_JOBS.values()).split()
    if name not in programs:
        words = [*programs, "help", "version", "configs"]
        near = [x for x in difflib.get_close_matches(name, words) if x != name]
        advice = f"Did you mean {' or '.join(near)}? " if near else ""
        sys.exit(
            f"Error: The first argument must be a program. Received: {name}. "
            f"{advice}keras-bert help lists the programs."
        )
    path = PROGRAMS / f"{name}.py"
    sys.argv = [str(path), *arguments]
    spec = importlib.util.spec_from_file_location("__main__", path)
    # absl treats the flags of `__main__` as the flags of the program.
    sys.modules["__main__"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["__main__"])


def _manual():
    """Return the usage and the first docstring line of each program."""
    lines = [__doc__.rstrip()]
    for job, names in _JOBS.items():
        lines += ["", f"{job}:", ""]
        lines += [f"  {x:30}{_first_line(x)}" for x in names.split()]
    return "\n".join(lines)


def _first_line(name):
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)).partition("\n")[0]
