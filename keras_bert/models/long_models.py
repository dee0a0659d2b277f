"""Conversion of encoders into models for long texts."""

import dataclasses
import importlib
import pathlib
import typing

import numpy as np

from keras_bert import checks
from keras_bert.models import families

_Model = typing.TypeVar("_Model")
_POSITIONS = "position_embeddings"
_FUSED = "query_key_value"
_PROJECTIONS = "global_query", "global_key", "global_value"


def make_long(
    model: _Model, max_positions: int = 4096, window: int = 512
) -> _Model:
    """Convert a model for long texts, as RoBERTa was converted to Longformer.

    Attention is replaced by attention in a sliding window, with copies of the
    weights. The position embeddings are repeated. The projections for global
    tokens are initialized with copies too. The model should be trained on long
    texts before use. On texts of at most `window / 2 + 1` tokens, its outputs
    without global tokens equal the original model's outputs.

    RoBERTa becomes Longformer. BERT, DistilBERT and ALBERT keep their family,
    and their config gets an `attention_window`; only keras_bert can load them.

    Args:
        model: `PretrainedModel` returned by `from_pretrained`, with or without
            a task head.
        max_positions: maximum sequence length of the new model.
        window: even number of neighbours that a token attends to, half of them
            on each side.

    Returns:
        A `PretrainedModel` with the same tokenizer, heads and task. The task
        keeps its `seq_length` unless it is loaded with a different one.

    Raises:
        ValueError: the family is not supported, the model is already long,
            `window` is odd or zero, or `max_positions` is less than the model's
            current length.

    Example:

    >>> from keras_bert.locations import TINY_MODEL
    >>> model = keras_bert.from_pretrained(TINY_MODEL)
    >>> keras_bert.models.make_long(model).sequence_length()
    4096

    References:
        [Longformer](https://arxiv.org/abs/2004.05150), section 5
    """
    if not hasattr(model, "tokenizer_settings"):
        raise ValueError(
            "`model` must be a PretrainedModel returned by `from_pretrained`, "
            f"such as `task.pretrained`. Received: {type(model).__name__}."
        )
    checks.even(2, window=window)
    tokenizer, short = model.tokenizer_settings, model.weights
    config = _long_config(model.config, max_positions, int(window))
    if hasattr(config, "sep_token_id"):
        vocabulary = tokenizer.vocabulary
        separator = vocabulary.id_of(vocabulary.roles["sep"])
        config = dataclasses.replace(config, sep_token_id=separator)
    long = type(model).from_config(config, tokenizer, model.parts, model.task)
    num_before = model.config.sizes["P"] - model.config.max_seq_length
    for path, weight in long.weights.items():
        *layers, name = path.split("/")
        if name == _POSITIONS:
            rows = np.asarray(short[path])
            indices = num_before + np.arange(max_positions) % (
                len(rows) - num_before
            )
            values = np.concatenate([rows[:num_before], rows[indices]])
        elif layers[-1] in _PROJECTIONS:
            fused = short["/".join([*layers[:-1], _FUSED, name])]
            third = _PROJECTIONS.index(layers[-1])
            values = np.split(np.asarray(fused), 3, axis=-1)[third]
        else:
            values = np.asarray(short[path])
        weight.assign(values)
    return long


def _long_config(config, max_positions, window):
    """Return the config of the long model."""
    long_classes = _long_classes()
    is_short = not config.attention_window and not config.is_decoder
    if config.model_type not in long_classes or not is_short:
        raise ValueError(
            "`model` must have full attention and belong to one of these "
            f"families: {', '.join(long_classes)}. Received: a {config.family} "
            f"with attention_window={config.attention_window}, "
            f"is_decoder={config.is_decoder}."
        )
    checks.at_least(config.max_seq_length, max_positions=max_positions)
    num_before = config.sizes["P"] - config.max_seq_length
    values = dataclasses.asdict(config)
    values[config.size_keys["P"]] = int(max_positions) + num_before
    values["attention_window"] = window
    return long_classes[config.model_type](**values)


def _long_classes():
    """Return a dict mapping `short_model_type` to classes of long configs."""
    tables = pathlib.Path(families.__file__).parent.glob("*/weights.txt")
    modules = [
        importlib.import_module(f"{families.__name__}.{x.parent.name}.model")
        for x in sorted(tables)
    ]
    configs = [module.FAMILY.config for module in modules]
    return {
        x.short_model_type or x.model_type: x
        for x in configs
        if "attention_window" in x.__dataclass_fields__
    }
