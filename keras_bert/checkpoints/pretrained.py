"""`from_pretrained` and `save_pretrained` for all formats."""

import dataclasses
import math
import pathlib
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping

from absl import logging

from keras_bert import checks
from keras_bert.checkpoints import formats
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.errors import checkpoint_errors
from keras_bert.checkpoints.layout import CARD
from keras_bert.checkpoints.layout import check_output
from keras_bert.checkpoints.layout import check_readable
from keras_bert.checkpoints.layout import check_sizes
from keras_bert.checkpoints.layout import files_of
from keras_bert.checkpoints.layout import local_directory
from keras_bert.checkpoints.loading import load
from keras_bert.checkpoints.loading import plan_loading
from keras_bert.checkpoints.pretrained_model import PretrainedModel
from keras_bert.checkpoints.tokenizer import check_tokenizer
from keras_bert.files.atomic import temporary_name
from keras_bert.files.manifest import record_directory
from keras_bert.files.outputs import is_free
from keras_bert.files.outputs import move_files
from keras_bert.layers.flat_dense import check_not_quantized
from keras_bert.typing import Path

# Names of the reader and the writer of each format in `formats`.
_FORMATS = {
    "keras": ("open_own", "write_own"),
    "hf": ("open_hugging_face", "write_hugging_face"),
    "tf1": ("open_google", "write_tf1"),
    "states": ("open_states", None),
}


def from_pretrained(
    directory: Path,
    allow_missing: Collection[str] = (),
    lowercase: bool | None = None,
    special_tokens_in_text: bool | None = None,
    strict: bool = False,
) -> PretrainedModel:
    """Load a model from a checkpoint of any supported format.

    A missing weight or a weight with a different shape is an error. If the
    checkpoint has no pooler or head, the model has none either. The head of a
    fine-tuned model is loaded too.

    Missing keys in the `config.json` of Hugging Face take the defaults of
    transformers. Unknown keys and unexpected arrays cause a warning.

    Args:
        directory: name of a model on the Hugging Face Hub, or a directory
            written by `save_pretrained`, Hugging Face (`config.json` with
            safetensors or `pytorch_model.bin`), google-research/bert or the
            Model Garden (`bert_config.json` with a TensorFlow checkpoint),
            google-research/albert (`albert_config.json` with a TensorFlow
            checkpoint), google-research/electra (a TensorFlow checkpoint
            without a config; the path of its generator is
            "directory/generator") or an unfinished pre-training run, whose
            newest state is loaded.
        allow_missing: names of model parts ("pooler", "masked_lm_head",
            "nsp_head") or of weights to initialize if the checkpoint lacks
            them.
        lowercase: whether to lower-case texts. Required if no file of
            the directory specifies it.
        special_tokens_in_text: whether a special token in a text, such
            as "[SEP]", becomes its id, as in transformers. Defaults to the
            saved value, or False.
        strict: whether to raise an error instead of a warning for unknown
            config keys and unexpected arrays.

    Raises:
        CheckpointError: a file is missing, cannot be used, has changed since it
            was written or does not match the other files; or no file specifies
            the casing. It is a subclass of ValueError.
    """
    checks.flag(strict=strict)
    path = local_directory(directory)
    format = check_readable(path)
    check_sizes(path)
    with checkpoint_errors(path):
        source = getattr(formats, _FORMATS[format][0])(path, lowercase)
    if special_tokens_in_text is not None:
        tokenizer = dataclasses.replace(
            source.tokenizer, special_tokens_in_text=special_tokens_in_text
        )
        source = dataclasses.replace(source, tokenizer=tokenizer)
    if strict:
        source = dataclasses.replace(source, is_lenient=False)
    _check_keys(source, path)
    _check_sizes(source)
    plan = plan_loading(source, allow_missing)
    with checkpoint_errors(path):
        model = load(
            lambda: PretrainedModel.from_config(
                source.config, source.tokenizer, plan.parts, source.task
            ),
            plan,
            source,
        )
    model.name_or_path = str(directory)
    return model


def save_pretrained(
    model: PretrainedModel,
    directory: Path,
    format: str = "keras",
    card: Mapping[str, str] | None = None,
    overwrite: bool = False,
    extras: Mapping[str, Callable[[pathlib.Path], object]] | None = None,
) -> None:
    """Save a model to a directory that `from_pretrained` can load.

    The files are written under temporary names first. Other files in the
    directory are kept. A `README.md` describes the model, unless the user has
    written one; `manifest.json` lists the files with their sizes.

    Args:
        model: the model to save.
        directory: directory to write; it is created if needed.
        format: "keras" (this library), "hf" (`transformers`) or "tf1"
            (google-research/bert or google-research/albert).
        card: dict mapping headings to texts to add to the model card, such as
            the training command and metrics.
        overwrite: whether to replace the files of an earlier call.
        extras: dict mapping names of additional files, which may include
            folders, to functions that write the file to a path.

    Raises:
        ValueError: the format is unknown or does not support the model, a
            layer is quantized, or the directory contains a checkpoint in
            a different format or a file that may not be replaced.
    """
    check_not_quantized(model.task_model or model.model)
    check_output(directory, format, overwrite=overwrite, extras=extras or ())
    directory = pathlib.Path(directory)
    weights = directory / files_of(format)[0]
    with temporary_name(weights) as staging:
        staging.mkdir()
        for name, write in (extras or {}).items():
            (staging / name).parent.mkdir(parents=True, exist_ok=True)
            write(staging / name)
        getattr(formats, _FORMATS[format][1])(model, staging)
        if is_free(directory / CARD):
            text = _model_card(model, format, card or {})
            (staging / CARD).write_text(text, encoding="utf-8", newline="\n")
        vocabulary = model.tokenizer_settings.vocabulary.sha256
        record_directory(staging, {"format": format, "vocabulary": vocabulary})
        move_files(staging, directory)


def _check_keys(source, path):
    if not source.unknown_keys:
        return
    keys = ", ".join(source.unknown_keys)
    message = f"The config of {path} has unknown keys: {keys}."
    if not source.is_lenient:
        raise CheckpointError(f"{message} To ignore them, pass `strict=False`.")
    logging.warning("%s They are ignored.", message)


def _check_sizes(source):
    """Compare array sizes with the config before the model is built."""
    config, num_arrays = source.config, len(source.arrays.shapes)
    if math.prod(config.block_counts) > num_arrays:
        sizes = [
            f"{config.size_keys[letter]}={config.sizes[letter]}"
            for letter in config.block_letters
        ]
        raise CheckpointError(
            f"{source.name} contains {num_arrays} arrays, too few for "
            f"{', '.join(sizes)}."
        )
    try:
        check_tokenizer(config, source.tokenizer)
    except ValueError as error:
        raise CheckpointError(f"{source.name}: {error}") from None
    num_tokens = len(source.tokenizer.vocabulary)
    if source.is_lenient and config.vocab_size > num_tokens:
        logging.warning(
            "%s: word embeddings %d to %d have no token in the vocabulary.",
            source.name,
            num_tokens,
            config.vocab_size - 1,
        )


def _model_card(model, format, extra):
    """Return the model card of a saved model, in Markdown.

    `extra` maps headings, such as "Training", to additional texts.
    """
    tokenizer, family = model.tokenizer_settings, model.family
    sizes = model.config.fields()
    parts = ["encoder", *sorted(model.parts)]
    count = sum(math.prod(w.shape) for w in model.weights.values())
    sections = [
        f"# {family.name}\n",
        f"{family.name} ({family.paper_link}) in "
        f'the "{format}" format of keras_bert, with '
        f"{', '.join(parts)}: {count:,} parameters.\n",
        "```python\nimport keras_bert\n\n"
        'bert = keras_bert.from_pretrained("this directory")\n```\n',
        "## Architecture\n",
        "\n".join(f"- `{key}`: {value}" for key, value in sizes.items()) + "\n",
        "## Vocabulary\n",
        f"{len(tokenizer.vocabulary):,} {tokenizer.pieces}; "
        f"{tokenizer.described()}.\n",
    ]
    for heading, text in extra.items():
        sections += [f"## {heading}\n", f"{text}\n"]
    return "\n".join(sections)
