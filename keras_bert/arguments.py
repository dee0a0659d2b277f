"""Names of arguments: constructors' parameters and errors for unknown ones."""

import difflib
import inspect

from keras_bert.messages import brief

_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
# Names of the same arguments in other libraries.
_SYNONYMS = {
    "batch_size": "per_device_train_batch_size train_batch_size",
    "class_weights": "class_weight",
    "epochs": "n_epochs nb_epoch num_epochs num_train_epochs",
    "label_smoothing": "label_smoothing_factor",
    "labels": "classes id2label label_names num_classes num_labels targets y",
    "learning_rate": "init_lr lr",
    "lowercase": "do_lower_case uncased",
    "max_new_tokens": "max_length max_tokens",
    "normalize": "normalize_embeddings",
    "patience": "early_stopping_patience",
    "seq_length": (
        "max_length max_len max_seq_len max_seq_length maxlen "
        "model_max_length sequence_length"
    ),
    "validation_data": "dev_data eval_data eval_dataset valid_data",
    "warmup": "num_warmup_steps warmup_proportion warmup_ratio warmup_steps",
}
_KERAS_FIT = (
    "`fit` minimizes the loss of the task by AdamW. To train differently, "
    "compile `model`, the Keras model of the task, and call its `fit`."
)
# Advice for arguments of other libraries that have no equivalent.
_ADVICE = {
    "dropout": (
        "The dropout rates are in the config of the model: "
        "`hidden_dropout_prob` and `attention_probs_dropout_prob`."
    ),
    **dict.fromkeys(("loss", "metrics", "optimizer"), _KERAS_FIT),
}


def parameters(function) -> dict[str, inspect.Parameter]:
    """Return the named parameters of a callable, without `*args`, `**kwargs`.

    The `**kwargs` of a constructor are replaced by the parameters of the next
    constructor in the method resolution order.
    """
    if not isinstance(function, type):
        given = inspect.signature(function).parameters.items()
        return {name: x for name, x in given if x.kind not in _VARIABLE}
    found = {}
    for base in function.__mro__:
        if "__init__" in vars(base):
            given = dict(inspect.signature(base.__init__).parameters)
            found = {**given, **found}
            rest = [x for x in given if given[x].kind in _VARIABLE]
            if not rest:
                break
            for name in rest:
                del found[name]
    found.pop("self", None)
    return found


def check_names(title, given, known) -> None:
    """Raise TypeError if a keyword argument is unknown, with a suggestion.

    Args:
        title: str, name of the function or class.
        given: dict of the keyword arguments.
        known: iterable of str, the known names.
    """
    for name, value in given.items():
        if name in known:
            continue
        near = near_names(name, known)
        advice = f"Its arguments are {', '.join(known)}."
        if near:
            advice = f"Did you mean {' or '.join(f'`{x}`' for x in near)}?"
        elif name in _ADVICE:
            advice = _ADVICE[name]
        raise TypeError(
            f"`{title}` has no argument `{name}`. {advice} "
            f"Received: {name}={brief(value)}."
        )


def near_names(name, known):
    """Return the known names that an unknown name may stand for."""
    near = [x for x in known if name in _SYNONYMS.get(x, "").split()]
    return near or difflib.get_close_matches(name, known)
