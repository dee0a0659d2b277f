"""Lookup of families by the `model_type` in published configs."""

from keras_bert import models
from keras_bert.checkpoints.weight_table import model_types
from keras_bert.config import BertConfig
from keras_bert.config import read_json_object
from keras_bert.messages import brief

# Configs that need no Keras, which takes seconds to import.
_LIGHT_CONFIGS = {BertConfig.model_type: BertConfig}


def find_family(model_type):
    """Return the `Family` of a `model_type`.

    Raises:
        ValueError: the family is unknown.
    """
    known = model_types()
    if model_type not in known:
        raise ValueError(
            f"`model_type` must be one of {', '.join(known)}. "
            f"Received: model_type={brief(model_type)}."
        )
    return models.family.family_of(model_type)


def config_class(values):
    """Return the config class for a dict's `model_type` (default BERT).

    Raises:
        ValueError: the family is unknown.
    """
    model_type = values.get("model_type", BertConfig.model_type)
    config = _LIGHT_CONFIGS.get(str(model_type))
    return config or find_family(model_type).config


def config_from(values):
    """Create a config of any family from a dict and reject unknown keys.

    Raises:
        ValueError: the family or a key is unknown.
    """
    return config_class(values).from_dict(values)


def read_config(path):
    """Read a config of any family from a JSON file."""
    try:
        return config_from(read_json_object(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
