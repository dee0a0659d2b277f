"""Array and class names in Hugging Face checkpoints."""

from keras_bert.checkpoints.weight_table import model_types
from keras_bert.checkpoints.weight_table import other_names
from keras_bert.checkpoints.weight_table import read_table
from keras_bert.checkpoints.weight_table import tied_arrays
from keras_bert.checkpoints.weight_table import unused_arrays

_DECODER = "LMHeadModel"
_MASKED_LM = "ForMaskedLM"
# Class suffixes and the heads they require; the first match is used.
_CLASSES = (
    ("ForPreTraining", {"masked_lm_head", "nsp_head"}),
    ("ForPreTraining", {"masked_lm_head", "sop_head"}),
    ("ForPreTraining", {"replaced_token_head"}),
    (_MASKED_LM, {"masked_lm_head"}),
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


def task_class(family, head_name):
    """Return the name of the transformers class for a family and head."""
    own = family.task_heads[head_name].published_class
    return _class(family, own or _TASK_CLASSES[head_name])


def other_task_classes(family, classes):
    """Return the classes of tasks that differ from the supported ones."""
    known = {task_class(family, head_name) for head_name in family.task_heads}
    suffixes = (*_TASK_CLASSES.values(),)
    return [x for x in classes if x.endswith(suffixes) and x not in known]


def model_class(model):
    """Return the transformers class name for a `PretrainedModel`."""
    if model.task_head:
        return task_class(model.family, model.task.head.part)
    if model.config.is_decoder:
        return _class(model.family, _DECODER)
    name = next(name for name, parts in _CLASSES if parts <= model.parts)
    if name == _MASKED_LM:
        name = model.family.masked_lm_class
    return _class(model.family, name)


def _class(family, name):
    return family.config.__name__.removesuffix("Config") + name


def encoder_prefix(model_type):
    """Return the prefix of the encoder arrays, such as "bert."."""
    first_row = read_table(model_type)[0]
    return first_row["hugging_face"].partition(".")[0] + "."


def wrapper_prefix(model_type, names):
    """Return the name prefix of a wrapper, such as "module.", or "".

    The word-embedding table determines the prefix. Prefixes of other families
    are ignored.

    Args:
        model_type: str.
        names: names of the arrays of a file.

    Raises:
        ValueError: there are several prefixes.
    """
    table = read_table(model_type)[0]["hugging_face"]
    prefix = encoder_prefix(model_type)
    bare = table.removeprefix(prefix)
    wrappers = set()
    for name in names:
        for ending in (table, bare):
            if f".{name}".endswith(f".{ending}"):
                wrappers.add(name.removesuffix(ending))
                break
    families = {x.partition("-")[0] for x in model_types()}
    families.discard(prefix.removesuffix("."))
    wrappers = {x for x in wrappers if not families & {*x.split(".")}}
    if len(wrappers) > 1 and "" not in wrappers:
        raise ValueError(
            "the arrays must belong to one model. Received: models under "
            f"the prefixes {', '.join(sorted(wrappers))}. Save one of them "
            "without its prefix."
        )
    return "" if "" in wrappers else "".join(wrappers)


def canonical_names(model_type, names):
    """Return a function that maps names in a file to names in `weights.txt`.

    Args:
        model_type: str.
        names: names of the arrays of the file.
    """
    prefix = encoder_prefix(model_type)
    wrapper = wrapper_prefix(model_type, names)
    published = [row["hugging_face"] for row in read_table(model_type)]
    encoder = tuple(
        name.removeprefix(prefix).partition(".")[0] + "."
        for name in published
        if name.startswith(prefix)
    )
    others = other_names(model_type, "hugging_face")

    def canonical(name):
        name = name.removeprefix(wrapper)
        for old, new in _OLD_NAMES.items():
            name = name.replace(old, new)
        if f"{name}.".startswith(encoder):
            name = prefix + name
        return others.get(name, name)

    # A file may contain only the copy of a tied array.
    present = {*map(canonical, names)}
    copies = tied_arrays(model_type, "hugging_face").items()
    originals = {copy: name for copy, name in copies if name not in present}
    return lambda name: originals.get(canonical(name), canonical(name))


def buffers(model_type, names):
    """Return the names of buffers and of unused arrays."""
    prefix = encoder_prefix(model_type)
    unused = unused_arrays(model_type, "hugging_face")
    return {
        name
        for name in names
        if name.removeprefix(prefix) in _BUFFERS
        or name.endswith(_TRIANGLE)
        or name in unused
    }
