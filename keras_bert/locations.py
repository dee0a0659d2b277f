"""Places of the programs, the configs and the tiny model.

In a clone programs and configs stand beside the package; setup.py has a wheel
carry them inside it.
"""

import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent
_ROOT = _PACKAGE if (_PACKAGE / "configs").is_dir() else _PACKAGE.parent

PROGRAMS = _ROOT / "tools"
CONFIGS = _ROOT / "configs"
TINY_MODEL = _PACKAGE / "tiny_model"
