"""Usage: keras-bert PROGRAM [--flag=...]

Train, try and export BERT and its relatives. `keras-bert PROGRAM --help` is the
manual of a program. In a clone, `python tools/PROGRAM.py` is the same.

  keras-bert try         shows what a tiny model does, without a network
  keras-bert help        prints this text
  keras-bert version     prints the release
  keras-bert configs     prints the directory of the model sizes and recipes
"""

import difflib
import importlib
import sys

from keras_bert import command_line
from keras_bert.locations import CONFIGS
from keras_bert.version import VERSION

_JOBS = {
    "Try a model": "try playground fill_mask embed generate",
    "Fine-tune": "run_classifier run_tagger run_squad run_multiple_choice "
    "predict",
    "Export and serve": "serve export_saved_model export_tflite export_onnx "
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
        sys.argv = [_known(name.replace("-", "_")), *arguments]
        run(sys.argv[0])


def run(name):
    """Run a program, a module of this folder, with the flags in `sys.argv`."""
    module = _module(name)
    if name == "query_saved_model":  # It also runs without this library.
        module.main()
    else:
        module.PROGRAM.run(module.main)


def _known(name):
    """Return the name of a program, or exit with a suggestion."""
    programs = " ".join(_JOBS.values()).split()
    if name not in programs:
        words = [*programs, "help", "version", "configs"]
        near = [x for x in difflib.get_close_matches(name, words) if x != name]
        advice = f"Did you mean {' or '.join(near)}? " if near else ""
        sys.exit(
            f"Error: The first argument must be a program. Received: {name}. "
            f"{advice}keras-bert help lists the programs."
        )
    return name


def _manual():
    """Return the usage and the first docstring line of each program."""
    lines = [__doc__.rstrip()]
    for job, names in _JOBS.items():
        lines += ["", f"{job}:", ""]
        for name in names.split():
            title = _module(name).__doc__.partition("\n")[0]
            lines.append(f"  {name:30}{title}")
    return "\n".join(lines)


def _module(name):
    return importlib.import_module(f"keras_bert.cli.{name}")


if __name__ == "__main__":
    main()
