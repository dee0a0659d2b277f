"""Entry point of programs: flags, help text and error messages."""

import functools
import importlib.abc
import importlib.util
import os
import pathlib
import re
import shlex
import sys
import tempfile
import textwrap

from absl import app
from absl import flags
from absl import logging

from keras_bert.lazy import near_names

HELP = frozenset("-h -help --help -helpshort --helpshort -?".split())
# Map Python argument names to flag names of google-research/bert.
FLAGS_OF_ARGUMENTS = {
    "batch_size": "train_batch_size",
    "epochs": "num_train_epochs",
    "lowercase": "do_lower_case",
    "null_threshold": "null_score_diff_threshold",
    "seed": "random_seed",
    "seq_length": "max_seq_length",
    "warmup": "warmup_proportion",
}
_MARK = "other than None"  # absl's message for a required flag.
_COLUMN = 30
_WIDTH = 80
_ARGUMENT = re.compile(
    r"`(\w+)`|(?<![\w.-])(\w+)=(\[[^\]]*\]|'[^']*'|\w*)(?!\()"
)
_titles = {}  # Maps flag names to group titles.


def run(main, next_command=None):
    """Parse the flags and run a program.

    `--help` prints the manual: the usage, the docstring of the program and its
    flags. An error that the user can fix is printed as one line, and the exit
    code is 1; `--verbosity=1` shows its traceback. Unexpected arguments are
    errors, because they usually come from a glob that the shell has expanded.
    Programs import TensorFlow in `main`, so that `--help` is fast. The
    messages that TensorFlow prints on import are hidden.

    Args:
        main: function without arguments. It returns the path of the result,
            or None for `--output_dir` or `--output_file`.
        next_command: str, the command to suggest at the end. `{result}` and
            flag names in braces are replaced by their values.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.meta_path.insert(0, _QuietTensorFlow())
    guarded = functools.partial(_run_guarded, main, next_command)
    app.run(guarded, flags_parser=_parse)


def _parse(argv):
    for argument, name in FLAGS_OF_ARGUMENTS.items():
        if name in flags.FLAGS and argument not in flags.FLAGS:
            flags.DEFINE_alias(argument, name, flags.FLAGS, __name__)
    if HELP & {*argv[1:]}:
        show(manual())
        sys.exit(0)
    try:
        return flags.FLAGS(argv)
    except flags.Error as error:
        missing = [
            f"--{flag.name}"
            for flag in _own_flags()
            if _is_required(flag) and flag.value is None
        ]
        text = f"{error}".strip().replace("\n", " ")
        if missing and _MARK in text:
            text = f"These flags are required: {', '.join(missing)}."
        text, _, near = text.rstrip(".? ").partition(" Did you mean: ")
        if isinstance(error, flags.UnrecognizedFlagError):
            known = [*own_flags(), *FLAGS_OF_ARGUMENTS]
            known = [name for name in known if name in flags.FLAGS]
            near = near or ", ".join(near_names(error.flagname, known))
        if near:
            near = near.replace(", ", " or --")
            text = f"{text.rstrip('.')}. Did you mean --{near}?"
        end = "" if near else "."
        print(f"Error: {text}{end} --help shows the manual.", file=sys.stderr)
        sys.exit(1)


def typed_command():
    """Return the command line of this process, quoted for a shell."""
    program, *arguments = sys.argv
    return shlex.join(["keras-bert", pathlib.Path(program).stem, *arguments])


def show(text):
    """Print a text and ignore a closed pipe, as with `| head`."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def manual():
    """Return the manual of a program: usage, docstring and flags."""
    program = pathlib.Path(sys.argv[0]).stem
    needed = [f"--{x.name}=..." for x in _own_flags() if _is_required(x)]
    lines = [" ".join(["Usage: keras-bert", program, *needed, "[--flag=...]"])]
    lines += ["", sys.modules["__main__"].__doc__.strip()]
    groups = {"Flags": []}
    for flag in _own_flags():
        groups.setdefault(_titles.get(flag.name, "Flags"), []).append(flag)
    for title, members in groups.items():
        lines += ["", f"{title}:", ""] if members else []
        lines += [line for flag in members for line in _describe(flag)]
    lines += ["", "  --flagfile=FILE reads flags from a file, one per line;"]
    lines += ["  --verbosity=1 shows the traceback of an error."]
    return "\n".join(lines)


def group(title, holders):
    """Show flags under a common title in the manual.

    Args:
        title: str.
        holders: flag holders, as returned by `flags.DEFINE_...`.
    """
    _titles.update({holder.name: title for holder in holders})


def _describe(flag):
    prefix = "[no]" if flag.boolean else ""
    notes = [
        f"or --{argument}"
        for argument, name in FLAGS_OF_ARGUMENTS.items()
        if name == flag.name and argument not in own_flags()
    ]
    if _is_required(flag):
        notes.append("required")
    elif flag.default not in (None, [], ""):
        notes.append(f"default: {flag.default_as_str.strip(chr(39))}")
    values = getattr(flag.parser, "enum_values", None)
    if values:
        notes.insert(0, f"one of {', '.join(values)}")
    # absl adds the values of an enum before the help, and a hint after it.
    text = flag.help.removeprefix(f"<{'|'.join(values or ())}>: ")
    text = text.split("\n")[0].rstrip(";")
    text = f"{text} ({'; '.join(notes)})" if notes else text
    name = f"  --{prefix}{flag.name}"
    indent = " " * _COLUMN
    wrapped = textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent
    )
    if len(name) + 2 > _COLUMN:
        return [name, *wrapped]
    return [name.ljust(_COLUMN) + wrapped[0].strip(), *wrapped[1:]]


def _is_required(flag):
    return any(_MARK in check.message for check in flag.validators)


def _run_guarded(main, next_command, argv):
    try:
        if len(argv) > 1:
            raise ValueError(
                f"Unexpected arguments: {' '.join(argv[1:])}. Put quotes "
                "around a glob, and separate files by commas."
            )
        _print_result(main(), next_command)
    except _user_errors() as error:
        logging.debug("Traceback of the error:", exc_info=True)
        line = _ARGUMENT.sub(_as_flag, _one_line(error))
        print(f"Error: {line}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)


def _print_result(result, next_command):
    """Print the path of the result, if any, and a suggested next command."""
    values = own_flags()
    result = result or values.get("output_dir") or values.get("output_file")
    if result:
        print(f"Result: {_joined(result)}", file=sys.stderr)
    elif {"output_dir", "output_file"} & {*values}:
        return
    values["result"] = result
    shown = {
        name: shlex.quote(_joined(value)) for name, value in values.items()
    }
    if next_command:
        print(f"Next: {next_command.format(**shown)}", file=sys.stderr)


def _joined(value):
    return ",".join(value) if isinstance(value, list) else f"{value}"


def _as_flag(match):
    """Replace a Python argument in an error message by its flag."""
    own, argument = own_flags(), match[1] or match[2]
    name = argument if argument in own else FLAGS_OF_ARGUMENTS.get(argument)
    if name not in own:
        return match[0]
    if match[3] in ("True", "False"):
        return f"--{'no' * (match[3] == 'False')}{name}"
    value = (match[3] or "").strip("[]").replace("'", "").replace(", ", ",")
    return f"--{name}={value}" if match[2] else f"--{name}"


def _user_errors():
    """Return the exception types that are reported in one line."""
    errors = [ValueError, OSError, ImportError, FloatingPointError, MemoryError]
    if "tensorflow" in sys.modules:  # Not all programs import it.
        # Disk full, or out of memory.
        errors.append(sys.modules["tensorflow"].errors.ResourceExhaustedError)
    return tuple(errors)


def _one_line(error):
    """Return the error message, with the flag that names the file, if any."""
    if isinstance(error, MemoryError):
        return f"Out of memory. {error}".strip()
    if not isinstance(error, OSError) or error.filename is None:
        return f"{error}".strip()
    path = os.fspath(error.filename)
    naming = [
        f"--{flag.name}"
        for flag in _own_flags()
        if flag.value and path in _values(flag)
    ]
    by = f" ({', '.join(naming)})" if naming else ""
    return f"{error.strerror}: {str(path)!r}{by}."


def _values(flag):
    return flag.value if isinstance(flag.value, list) else [str(flag.value)]


def reject(reason, *holders):
    """Raise ValueError if one of the flags is given.

    Args:
        reason: str, the rule for the flags, such as "requires --output_dir".
        *holders: flag holders, as returned by `flags.DEFINE_...`.
    """
    for holder in holders:
        if holder.present:
            raise ValueError(
                f"--{holder.name} {reason}. Received: "
                f"--{holder.name}={holder.value}."
            )


def check_exclusive(first, second):
    """Raise ValueError if two mutually exclusive flags are given."""
    if first.present and second.present:
        raise ValueError(
            f"Either --{first.name} or --{second.name} must be given, not "
            f"both. Received: --{first.name}={first.value}, "
            f"--{second.name}={second.value}."
        )


def require_one(*holders):
    """Raise ValueError unless exactly one of the flags is given."""
    given = [f"--{x.name}={_joined(x.value)}" for x in holders if x.value]
    if len(given) != 1:
        *names, last = [f"--{holder.name}" for holder in holders]
        raise ValueError(
            f"One of {', '.join(names)} and {last} is required. Received: "
            f"{', '.join(given) or 'none'}."
        )


def own_flags():
    """Return the values of the running program's own flags, by name."""
    return {flag.name: flag.value for flag in _own_flags()}


def _own_flags():
    # absl registers the flags of the main module under this name.
    own = flags.FLAGS.get_key_flags_for_module(sys.argv[0])
    return [flag for flag in own if flag.name not in ("help", "helpfull")]


class _QuietTensorFlow(importlib.abc.MetaPathFinder):
    """Import hook that hides the messages of TensorFlow's import."""

    def find_spec(self, name, path, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            spec.loader.exec_module = _quiet(spec.loader.exec_module)
        return spec


def _quiet(function):
    """Wrap a function so that its stderr is printed only if it fails."""

    def run_quietly(*args):
        sys.stderr.flush()
        screen = os.dup(2)
        with tempfile.TemporaryFile() as kept:
            os.dup2(kept.fileno(), 2)
            try:
                function(*args)
            except BaseException:
                kept.seek(0)
                os.write(screen, kept.read())
                raise
            finally:
                os.dup2(screen, 2)
                os.close(screen)

    return run_quietly
