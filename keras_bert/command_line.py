"""Entry point of programs: flags, help text and error messages."""

import functools
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

from keras_bert import lazy
from keras_bert.arguments import near_names

HELP = frozenset("-h -help --help -helpshort --helpshort -?".split())
# Map Python argument names to flag names of google-research/bert.
FLAGS_OF_ARGUMENTS = {
    "batch_size": "train_batch_size",
    "epochs": "num_train_epochs",
    "example_layout": "packing",
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


class Program:
    """A program: its flags, its manual and its run.

    The attributes `bool`, `enum`, `float`, `integer`, `list`, `multi_string`
    and `string` define a flag and return its holder, as `flags.DEFINE_bool`
    does. The flags of two programs in one process are separate.

    Args:
        description: str, docstring of the module, shown in the manual.
        next_command: str, the command to suggest at the end. `{result}` and
            flag names in braces are replaced by their values.
        takes: str, name of the arguments that are no flags, such as
            "DIRECTORY". If None, such arguments are errors.

    Attributes:
        arguments: list of str, the arguments that are no flags.
    """

    def __init__(self, description, next_command=None, takes=None):
        self.arguments = []
        self._takes = takes
        self._description = description.strip()
        self._next_command = next_command
        self._titles = {}  # Maps flag names to group titles.
        self._flags = flags.FlagValues()
        own = functools.partial(functools.partial, flag_values=self._flags)
        self.bool = own(flags.DEFINE_bool)
        self.enum = own(flags.DEFINE_enum)
        self.float = own(flags.DEFINE_float)
        self.integer = own(flags.DEFINE_integer)
        self.list = own(flags.DEFINE_list)
        self.multi_string = own(flags.DEFINE_multi_string)
        self.string = own(flags.DEFINE_string)

    def required(self, name, meaning):
        """Define a required string flag."""
        return self.string(name, None, meaning, required=True)

    def optional(self, name, meaning):
        """Define an optional string flag."""
        return self.string(name, None, meaning)

    def group(self, title, holders):
        """Show flags under a common title in the manual."""
        self._titles.update({holder.name: title for holder in holders})

    def values(self):
        """Return the values of the flags, by name."""
        return {name: self._flags[name].value for name in self._flags}

    def run(self, main):
        """Parse the flags and run the program.

        `--help` prints the manual: the usage, the description and the flags.
        An error that the user can fix is printed as one line, and the exit
        code is 1; `--verbosity=1` shows its traceback. Unexpected arguments
        are errors, because they usually come from a glob that the shell has
        expanded. Programs import Keras in `main`, so that `--help` is fast.

        Args:
            main: function without arguments. It returns the path of the
                result, or None for `--output_dir` or `--output_file`.
        """
        app.run(
            functools.partial(self._run_guarded, main), flags_parser=self.parse
        )

    def parse(self, argv):
        """Parse a command line, and return the arguments that are no flags."""
        if HELP & {*argv[1:]}:
            show(self.manual())
            sys.exit(0)
        self._flags.unparse_flags()  # Forget an earlier run of this process.
        accepted = flags.FlagValues()
        accepted.append_flag_values(self._flags)
        for module, own in flags.FLAGS.flags_by_module_dict().items():
            for flag in own if module.startswith("absl.") else ():
                accepted[flag.name] = flag
        for argument, name in FLAGS_OF_ARGUMENTS.items():
            if name in self._flags and argument not in self._flags:
                flags.DEFINE_alias(argument, name, accepted, __name__)
        try:
            others = accepted(argv)
        except flags.Error as error:
            sys.exit(f"Error: {self._advice(error)} --help shows the manual.")
        self._flags.mark_as_parsed()
        flags.FLAGS.mark_as_parsed()
        return others

    def _advice(self, error):
        """Return the message of absl's error, with all missing flags."""
        missing = [
            f"--{flag.name}"
            for flag in self._own()
            if _is_required(flag) and flag.value is None
        ]
        text = f"{error}".strip().replace("\n", " ")
        if missing and _MARK in text:
            text = f"These flags are required: {', '.join(missing)}."
        text, _, near = text.rstrip(".? ").partition(" Did you mean: ")
        if isinstance(error, flags.UnrecognizedFlagError) and not near:
            of_arguments = FLAGS_OF_ARGUMENTS.items()
            known = [x for x, name in of_arguments if name in self._flags]
            known = [*self._flags, *known]
            near = ", ".join(near_names(error.flagname, known))
        text = text.rstrip(".")
        if near:
            return f"{text}. Did you mean --{near.replace(', ', ' or --')}?"
        return f"{text}."

    def manual(self):
        """Return the manual: usage, description and flags."""
        program = pathlib.Path(sys.argv[0]).stem
        own = self._own()
        needed = [f"--{x.name}=..." for x in own if _is_required(x)]
        own_arguments = [f"[{self._takes} ...]"] if self._takes else []
        usage = ["Usage: keras-bert", program, *needed, *own_arguments]
        usage.append("[--flag=...]")
        lines = [" ".join(usage), "", self._description]
        groups = {"Flags": []}
        for flag in own:
            title = self._titles.get(flag.name, "Flags")
            groups.setdefault(title, []).append(flag)
        for title, members in groups.items():
            lines += ["", f"{title}:", ""] if members else []
            lines += [x for flag in members for x in self._describe(flag)]
        lines += [
            "",
            "  --flagfile=FILE reads flags from a file, one per line;",
        ]
        lines += ["  --verbosity=1 shows the traceback of an error."]
        return "\n".join(lines)

    def _describe(self, flag):
        prefix = "[no]" if flag.boolean else ""
        notes = [
            f"or --{argument}"
            for argument, name in FLAGS_OF_ARGUMENTS.items()
            if name == flag.name and argument not in self._flags
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

    def _own(self):
        return [self._flags[name] for name in self._flags]

    def _run_guarded(self, main, argv):
        try:
            self.arguments = argv[1:]
            if self.arguments and not self._takes:
                raise ValueError(
                    f"Unexpected arguments: {' '.join(argv[1:])}. Put quotes "
                    "around a glob, and separate files by commas."
                )
            self._print_result(main())
        except _user_errors() as error:
            logging.debug("Traceback of the error:", exc_info=True)
            line = _ARGUMENT.sub(self._as_flag, self._one_line(error))
            print(f"Error: {line}", file=sys.stderr)
            sys.exit(1)
        except KeyboardInterrupt:
            print("Stopped.", file=sys.stderr)
            sys.exit(130)

    def _print_result(self, result):
        """Print the path of the result, if any, and the next command."""
        values = self.values()
        result = result or values.get("output_dir") or values.get("output_file")
        if result:
            print(f"Result: {_joined(result)}", file=sys.stderr)
        elif {"output_dir", "output_file"} & {*values}:
            return
        values["result"] = result
        shown = {
            name: shlex.quote(_joined(value)) for name, value in values.items()
        }
        if self._next_command:
            command = self._next_command.format(**shown)
            print(f"Next: {command}", file=sys.stderr)

    def _as_flag(self, match):
        """Replace a Python argument in an error message by its flag."""
        argument = match[1] or match[2]
        name = argument
        if argument not in self._flags:
            name = FLAGS_OF_ARGUMENTS.get(argument)
        if name not in self._flags:
            return match[0]
        if match[3] in ("True", "False"):
            return f"--{'no' * (match[3] == 'False')}{name}"
        value = (match[3] or "").strip("[]").replace("'", "").replace(", ", ",")
        return f"--{name}={value}" if match[2] else f"--{name}"

    def _one_line(self, error):
        """Return the error message, with the flag that names the file."""
        if isinstance(error, MemoryError):
            return f"Out of memory. {error}".strip()
        if not isinstance(error, OSError) or error.filename is None:
            return f"{error}".strip()
        path = os.fspath(error.filename)
        naming = [
            f"--{name}"
            for name, value in self.values().items()
            if value and path in (value if isinstance(value, list) else [value])
        ]
        by = f" ({', '.join(naming)})" if naming else ""
        return f"{error.strerror}: {str(path)!r}{by}."


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


def _is_required(flag):
    return any(_MARK in check.message for check in flag.validators)


def _joined(value):
    return ",".join(value) if isinstance(value, list) else f"{value}"


def _user_errors():
    """Return the exception types that are reported in one line."""
    errors = [ValueError, OSError, ImportError, FloatingPointError, MemoryError]
    if sys.modules.get("tensorflow"):  # Not all programs import it.
        # Disk full, or out of memory.
        errors.append(sys.modules["tensorflow"].errors.ResourceExhaustedError)
    return tuple(errors)


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


def import_quietly(name):
    """Import a module, and show its messages only if that fails.

    TensorFlow prints some of its messages before it reads
    `TF_CPP_MIN_LOG_LEVEL`.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    screen = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            return lazy.import_package(name, "This program")
        except BaseException:
            kept.seek(0)
            os.write(screen, kept.read())
            raise
        finally:
            os.dup2(screen, 2)
            os.close(screen)
