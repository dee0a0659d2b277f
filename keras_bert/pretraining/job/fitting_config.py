"""Config of a fresh model, checked against the data."""

import dataclasses

from absl import logging

from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.pretraining.objectives.objectives import OBJECTIVES

# A table may be padded to a multiple of this.
_MOST_PADDED = 128


def fitting_config(recipe, config, vocabulary, facts):
    """Settle the config of `recipe` for the objective and the vocabulary.

    Raises:
        ValueError: the config is of another vocabulary or for another
            objective.
    """
    is_decoder = OBJECTIVES[recipe.objective].is_decoder
    path = recipe.bert_config_file
    check_objective(recipe, config)
    if config.is_decoder and not is_decoder:
        raise ValueError(
            "A --bert_config_file with is_decoder needs an objective of a "
            f"decoder. Received: objective={recipe.objective}, "
            f"bert_config_file={path!r}."
        )
    rows, lines = config.vocab_size, len(vocabulary)
    if not lines <= rows < lines + _MOST_PADDED:
        if not facts.confirms(vocabulary):
            raise ValueError(
                f"`vocab_size` in {path} must be the number of word pieces in "
                f"{recipe.vocab_file}. Received: vocab_size={rows}, {lines} "
                f'lines. Write "vocab_size": {lines} into a copy of {path}, '
                "or pass the vocabulary that the records were made with."
            )
        logging.info(
            f"The model takes vocab_size={lines} of {recipe.vocab_file}, with "
            f"which the records were made, not {rows} of {path}."
        )
        rows = lines
    is_told = is_decoder and "is_decoder" in vars(config)
    changes = {"is_decoder": True} if is_told else {}
    return dataclasses.replace(config, vocab_size=rows, **changes)


def check_objective(recipe, config):
    """Raise ValueError unless the family is made for the objective."""
    parts = {path.partition("/")[0] for path in weight_shapes(config)}
    # Of some families a config says what is looked at, of others the family.
    is_told = "is_decoder" in vars(config)
    parts |= {"masked_lm_head"} if type(config).is_decoder else set()
    made_for = [
        name
        for name, objective in OBJECTIVES.items()
        if {*objective.parts} <= parts
        and objective.is_for(config)
        and (is_told or objective.is_decoder == config.is_decoder)
    ]
    if recipe.objective not in made_for:
        raise ValueError(
            f"--objective must be one that {config.family} is made for: "
            f"{' or '.join(made_for)}. "
            f"Received: objective={recipe.objective}."
        )


def check_lengths(recipe, config):
    """Raise ValueError if the records are longer than a model takes."""
    key, limit = config.size_keys["P"], config.max_seq_length
    if recipe.max_seq_length > limit:
        raise ValueError(
            f"--max_seq_length must be at most {limit}, for which the model "
            "has positions. "
            f"Received: max_seq_length={recipe.max_seq_length}, "
            f"{key}={config.sizes['P']}."
        )
