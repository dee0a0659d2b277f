"""How every program of `tools/` starts and how it fails."""

import functools
import sys

from absl import app
from absl import flags
from absl import logging


def run(main):
    """Parses the flags and runs a program.

    An error that the user can mend is printed as one line and the exit code
    is 1; `--verbosity=1` shows where it came from. Stray arguments are
    errors, for they are mostly a glob that the shell has expanded.

    Args:
        main: function without arguments.
    """
    app.run(functools.partial(_run_guarded, main))


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
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)


def _user_errors():
    """What a user can mend: a flag, a file, a package, a learning rate."""
    errors = [ValueError, OSError, ImportError, FloatingPointError]
    if "tensorflow" in sys.modules:  # Some programs do without.
        # A full disk, or a batch too large for the memory.
        errors.append(sys.modules["tensorflow"].errors.ResourceExhaustedError)
    return tuple(errors)


def own_flags():
    """The flags that the running program itself defines.

    Returns:
        A dict from names to values.
    """
    own = flags.FLAGS.get_key_flags_for_module(sys.argv[0])
    return {flag.name: flag.value for flag in own}
