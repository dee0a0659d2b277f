"""Paths of the tools, configs, tiny model and model families.

In a clone, tools and configs are next to the package. In a wheel, they are
inside it, see setup.py.
"""

import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent
_ROOT = _PACKAGE if (_PACKAGE / "configs").is_dir() else _PACKAGE.parent

PROGRAMS = _ROOT / "tools"
CONFIGS = _ROOT / "configs"
TINY_MODEL = _PACKAGE / "tiny_model"
FAMILIES = _PACKAGE / "models" / "families"  # A folder for each family.


def family_folder(model_type):
    """Return the folder name of a family.

    Hyphens become single underscores, and underscores become double ones.
    """
    return model_type.replace("_", "__").replace("-", "_")


def model_type_of(folder):
    """Return the `model_type` of a folder name, see `family_folder`."""
    return folder.replace("_", "-").replace("--", "_")
