"""Names of Hugging Face, as they follow from those of a family."""

from keras_bert.checkpoints.weight_table import head_rows
from keras_bert.checkpoints.weight_table import other_names
from keras_bert.checkpoints.weight_table import read_table
from keras_bert.checkpoints.weight_table import unused_arrays

_DECODER = "LMHeadModel"
# The first class whose parts are all there is written.
_CLASSES = (
    ("ForPreTraining", {"masked_lm_head", "nsp_head"}),
    ("ForPreTraining", {"masked_lm_head", "sop_head"}),
    ("ForPreTraining", {"replaced_token_head"}),
    ("ForMaskedLM", {"masked_lm_head"}),
    ("ForNextSentencePrediction", {"nsp_head"}),
    ("Model", set()),
)
_TASK_CLASSES = {
    "classifier": "ForSequenceClassification",
    "token_classifier": "ForTokenClassification",
    "choice_scorer": "ForMultipleChoice",
    "span_classifier": "ForQuestionAnswering",
}
_BUFFERS = (
    "embeddings.position_ids",
    "embeddings.token_type_ids",
    "position_ids",
)
_TRIANGLE = ".attn.bias"
_OLD_NAMES = {
    "LayerNorm.gamma": "LayerNorm.weight",
    "LayerNorm.beta": "LayerNorm.bias",
}


def task_class(family, part):
    """Names a `Family`'s class with a head; ours of its config is as theirs."""
    own = family.task_heads[part].published_class
    return _class(family, own or _TASK_CLASSES[part])


def model_class(model):
    """Names the class of a `PretrainedModel`, for its `config.json`."""
    if model.task_head:
        return task_class(model.family, model.task.head.part)
    if model.config.is_decoder:
        return _class(model.family, _DECODER)
    name = next(name for name, parts in _CLASSES if parts <= model.parts)
    return _class(model.family, name)


def _class(family, name):
    return family.config.__name__.removesuffix("Config") + name


def encoder_prefix(model_type):
    """Finds the word before the arrays of an encoder inside another model."""
    first_row = read_table(model_type)[0]
    return first_row["hugging_face"].partition(".")[0] + "."


def canonical_names(model_type):
    """Makes a function from the names in a file to those in the table."""
    prefix = encoder_prefix(model_type)
    names = [row["hugging_face"] for row in read_table(model_type)]
    encoder = tuple(
        name.removeprefix(prefix).partition(".")[0] + "."
        for name in names
        if name.startswith(prefix)
    )

    others = other_names(model_type, "hugging_face")

    def canonical(name):
        name = name.removeprefix("module.")  # Of a model saved in parallel.
        for old, new in _OLD_NAMES.items():
            name = name.replace(old, new)
        name = prefix + name if name.startswith(encoder) else name
        return others.get(name, name)

    return canonical


def buffers(model_type, names):
    """Finds the names of arrays that are no weights, or none of a model."""
    prefix = encoder_prefix(model_type)
    unused = unused_arrays(model_type, "hugging_face")
    return {
        name
        for name in names
        if name.removeprefix(prefix) in _BUFFERS
        or name.endswith(_TRIANGLE)
        or name in unused
    }


def task_arrays(model_type, names):
    """Finds the names that belong to the head of a task."""
    rows = head_rows(model_type)
    first = {
        row["hugging_face"].partition(".")[0] + "."
        for row in rows
        if "hugging_face" in row
    }
    # ModernBERT's transform has one name in both kinds of heads.
    rows = read_table(model_type)
    others = {row["hugging_face"].partition("@")[0] for row in rows}
    return {x for x in names if x.startswith((*first,)) and x not in others}
