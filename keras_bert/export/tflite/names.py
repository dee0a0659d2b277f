"""Precisions and file names for TFLite export."""

import pathlib

from keras_bert import checks
from keras_bert.messages import brief

PRECISIONS = ("float32", "float16", "int8", "full_int8")
FILES = ("text", "ids", "mediapipe")
DEFAULT_FILES = FILES[:2]


def tflite_paths(path, files):
    """Return the paths of the requested files.

    Raises:
        ValueError: the path does not end in ".tflite".
    """
    path = pathlib.Path(path)
    if path.suffix != ".tflite" or not path.stem:
        raise ValueError(
            'The path of a TFLite file must end in ".tflite"; "model.tflite" '
            'writes "model_text.tflite" and "model_ids.tflite". '
            f"Received: {str(path)!r}."
        )
    return {
        name: path.with_name(f"{path.stem}_{name}.tflite")
        for name in FILES
        if name in files
    }


def check_kind(kind, files, has_representatives):
    """Raise ValueError unless `kind` supports `files`."""
    checks.one_of(PRECISIONS, kind=kind)
    if isinstance(files, str) or not files or {*files} - {*FILES}:
        raise ValueError(
            f"`files` must be a list of names among {', '.join(FILES)}. "
            f"Received: {brief(files)}."
        )
    is_full = kind == "full_int8"
    if is_full != has_representatives:
        raise ValueError(
            "`representative_texts` must be passed for kind='full_int8', "
            "which calibrates with them, and for no other kind. Received: "
            f"kind={kind!r}, {'no' if is_full else 'and'} representative texts."
        )
    if is_full and "text" in files:
        raise ValueError(
            "The kind full_int8 is for ids only, because TensorFlow "
            "calibrates in an interpreter without the ops of tensorflow-text. "
            f"Pass files=['ids'], or kind='int8'. Received: files={[*files]}."
        )
