"""Config of a new model, checked against the vocabulary and objective."""

import dataclasses

from absl import logging

from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.pretraining.objectives.objectives import OBJECTIVES

# The embedding table may be padded to a multiple of this number of rows.
_MAX_PADDING_ROWS = 128


def resolve_model_config(recipe, config, vocabulary, facts):
    """Check and return the config of a new model.

    Raises:
        ValueError: the config does not match the vocabulary or the objective.
    """
    is_decoder = OBJECTIVES[recipe.objective].is_decoder
    path = recipe.bert_config_file
    check_objective(recipe, config)
    if config.is_decoder and not is_decoder:
        raise ValueError(
            "A `bert_config_file` with is_decoder requires an `objective` "
            f"for decoders. Received: objective={recipe.objective}, "
            f"bert_config_file={path!r}."
        )
    rows, lines = config.vocab_size, len(vocabulary)
    if not lines <= rows < lines + _MAX_PADDING_ROWS:
        if not facts.confirms(vocabulary):
            raise ValueError(
                f"`vocab_size` in {path} must be the number of word pieces in "
                f"{recipe.vocab_file}. Received: vocab_size={rows}, {lines} "
                f'lines. Write "vocab_size": {lines} into a copy of {path}, '
                "or pass the vocabulary of the records."
            )
        logging.info(
            f"The model uses vocab_size={lines} from {recipe.vocab_file}, the "
            f"vocabulary of the records, instead of {rows} from {path}."
        )
        rows = lines
    is_configurable = is_decoder and "is_decoder" in vars(config)
    changes = {"is_decoder": True} if is_configurable else {}
    return dataclasses.replace(config, vocab_size=rows, **changes)


def check_objective(recipe, config):
    """Raise ValueError unless the model family supports the objective."""
    paths = weight_shapes(config)
    parts = {path.partition("/")[0] for path in paths}
    # Some families are encoders or decoders by config, others by class.
    is_configurable = "is_decoder" in vars(config)
    parts |= {"masked_lm_head"} if type(config).is_decoder else set()
    supported = [
        name
        for name, objective in OBJECTIVES.items()
        if {*objective.parts} <= parts
        and any(path.startswith(objective.shares) for path in paths)
        and (is_configurable or objective.is_decoder == config.is_decoder)
    ]
    if recipe.objective not in supported:
        raise ValueError(
            f"`objective` must be one that {config.family} supports: "
            f"{' or '.join(supported)}. Received: objective={recipe.objective}."
        )


def check_lengths(recipe, config):
    """Raise ValueError if the records are longer than the model supports."""
    key, limit = config.size_keys["P"], config.max_seq_length
    if recipe.max_seq_length > limit:
        raise ValueError(
            f"`max_seq_length` must be at most {limit}, the number of "
            "positions of the model. "
            f"Received: max_seq_length={recipe.max_seq_length}, "
            f"{key}={config.sizes['P']}."
        )
