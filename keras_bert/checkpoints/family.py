"""Families by the `model_type` of published configs."""

import importlib

from keras_bert.checkpoints.weight_table import model_types
from keras_bert.config import BertConfig
from keras_bert.config import read_json_object

# Configs that need no Keras, which takes seconds to import.
_LIGHT_CONFIGS = {BertConfig.model_type: BertConfig}


def find_family(model_type):
    """The `Family` of a `model_type`.

    Those that there is a table of weights of are known: the family "a-b" is
    `FAMILY` in `keras_bert.models.a_b`.

    Raises:
        ValueError: there is no such family.
    """
    known = model_types()
    if model_type not in known:
        raise ValueError(
            f"`model_type` must be one of {', '.join(known)}. "
            f"Received: model_type={model_type!r}."
        )
    name = model_type.replace("-", "_")
    return importlib.import_module(f"keras_bert.models.{name}").FAMILY


def config_from(values):
    """A config of the family that it names, or of BERT if it names none.

    Args:
        values: dict of config values by key.

    Raises:
        ValueError: the family is unknown, or its config has other keys.
    """
    model_type = values.get("model_type", BertConfig.model_type)
    config = _LIGHT_CONFIGS.get(str(model_type))
    return (config or find_family(model_type).config).from_dict(values)


def read_config(path):
    """As `config_from`, from a JSON file, which errors name."""
    try:
        return config_from(read_json_object(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
