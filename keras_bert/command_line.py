"""Start, manual and errors of every program of `tools/`."""

import functools
import importlib.abc
import importlib.util
import os
import re
import shlex
import sys
import tempfile
import textwrap

from absl import app
from absl import flags
from absl import logging

HELP = frozenset("-h -help --help -helpshort --helpshort -?".split())
_MARK = "other than None"  # What absl says of a required flag.
_COLUMN = 30
_WIDTH = 80
_INSTALLED = "keras-bert "
_titles = {}  # Of groups of flags, by the names of the flags.


def run(main):
    """Parses the flags and runs a program.

    `--help` prints the manual: the docstring of the program and its flags.
    An error that the user can mend is printed as one line and the exit code
    is 1; `--verbosity=1` shows where it came from. Stray arguments are
    errors, for they are mostly a glob that the shell has expanded. A program
    imports TensorFlow in `main` or below, so that the manual is there at
    once; what TensorFlow prints at its start does not reach the screen.

    Args:
        main: function without arguments.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.meta_path.insert(0, _QuietTensorFlow())
    app.run(functools.partial(_run_guarded, main), flags_parser=_parse)


def _parse(argv):
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
        text = text.rstrip(".")
        print(f"Error: {text}. --help shows the manual.", file=sys.stderr)
        sys.exit(1)


def installed_name(name):
    """Name a program of `tools/` that `keras-bert` starts.

    Args:
        name: str, its file without `.py`.

    Returns:
        A str for `sys.argv[0]`, by which its manual and errors tell.
    """
    return f"{_INSTALLED}{name}"


def typed_command():
    """The command line of this process, as a shell takes it."""
    program, *arguments = sys.argv
    if not program.startswith(_INSTALLED):
        program = shlex.quote(program)
    return " ".join([program, *map(shlex.quote, arguments)])


def _as_started(text, own_configs=False):
    """The text, naming programs, and configs, as the user has them."""
    if not sys.argv[0].startswith(_INSTALLED):
        return text
    if own_configs:
        configs = rf'"$({_INSTALLED}configs)/\1"'
        text = re.sub(r"(?<![\w./-])configs/([\w.]+)", configs, text)
    pattern = r"(?:python )?(?<![\w./-])tools/(\w+)\.py"
    return re.sub(pattern, rf"{_INSTALLED}\1", text)


def show(text):
    """Prints; whoever reads may stop, as `head` does."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def manual():
    """The manual of a program: its docstring and its flags."""
    about = sys.modules["__main__"].__doc__.strip()
    lines = [_as_started(about, own_configs=True)]
    groups = {"Flags": []}
    for flag in _own_flags():
        groups.setdefault(_titles.get(flag.name, "Flags"), []).append(flag)
    for title, members in groups.items():
        lines += ["", f"{title}:", ""] if members else []
        lines += [line for flag in members for line in _describe(flag)]
    lines += ["", "  --flagfile=FILE reads flags from a file, one a line;"]
    lines += ["  --verbosity=1 shows where an error came from."]
    return "\n".join(lines)


def group(title, holders):
    """Shows flags under a title of their own in the manual.

    Args:
        title: str.
        holders: what `flags.DEFINE_...` returned for them.
    """
    _titles.update({holder.name: title for holder in holders})


def _describe(flag):
    prefix = "[no]" if flag.boolean else ""
    notes = []
    if _is_required(flag):
        notes = ["required"]
    elif flag.default not in (None, [], ""):
        notes = [f"default: {flag.default_as_str.strip(chr(39))}"]
    values = getattr(flag.parser, "enum_values", None)
    if values:
        notes.insert(0, f"one of {', '.join(values)}")
    text = flag.help.split("\n")[0].removeprefix(
        f"<{'|'.join(values or ())}>: "
    )
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


def _run_guarded(main, argv):
    try:
        if len(argv) > 1:
            raise ValueError(
                f"Unexpected arguments: {' '.join(argv[1:])}. Put quotes "
                "around a glob, and join several files by commas."
            )
        main()
    except _user_errors() as error:
        logging.debug("Where the error came from:", exc_info=True)
        line = _as_started(_one_line(error))
        line = line.replace("overwrite=True", "--overwrite")  # As Python has it
        print(f"Error: {line}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)


def _user_errors():
    """Errors that a user can mend: of flags, files, packages, rates."""
    errors = [ValueError, OSError, ImportError, FloatingPointError, MemoryError]
    if "tensorflow" in sys.modules:  # Some programs do without.
        # A full disk, or a batch too large for the memory.
        errors.append(sys.modules["tensorflow"].errors.ResourceExhaustedError)
    return tuple(errors)


def _one_line(error):
    """The words of an error; of a file also which flag named it."""
    if isinstance(error, MemoryError):
        return f"Memory does not suffice. {error}".strip()
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


def refuse(holder, reason):
    """Raises ValueError if a flag was given; it would have no effect.

    Args:
        holder: what `flags.DEFINE_...` returned.
        reason: str, when the flag has an effect, such as "is for
            --output_dir".
    """
    if holder.present:
        raise ValueError(
            f"--{holder.name} {reason}. Received: "
            f"--{holder.name}={holder.value}."
        )


def refuse_both(first, second):
    """Raises ValueError if two flags that exclude each other were given."""
    if first.present and second.present:
        raise ValueError(
            f"Either --{first.name} or --{second.name} must be given, not "
            f"both. Received: --{first.name}={first.value}, "
            f"--{second.name}={second.value}."
        )


def own_flags():
    """The flags that the running program itself defines.

    Returns:
        A dict from names to values.
    """
    return {flag.name: flag.value for flag in _own_flags()}


def _own_flags():
    # absl files the flags of the main module under this name.
    own = flags.FLAGS.get_key_flags_for_module(sys.argv[0])
    return [flag for flag in own if flag.name not in ("help", "helpfull")]


class _QuietTensorFlow(importlib.abc.MetaPathFinder):
    """Keeps what TensorFlow prints while it is imported off the screen."""

    def find_spec(self, name, path, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            spec.loader.exec_module = _quiet(spec.loader.exec_module)
        return spec


def _quiet(function):
    """The function, with what it prints shown only if it fails."""

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
