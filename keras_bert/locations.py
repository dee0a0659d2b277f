"""Paths of the configs, the tiny model and the model families."""

import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent

CONFIGS = _PACKAGE / "configs"
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
