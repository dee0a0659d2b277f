"""Write a model as TFLite files, for phones.

    keras-bert export_tflite --input_dir=runs/mood/model \\
        --output_file=mood.tflite --kind=int8 --texts_file=some.txt

This writes mood_text.tflite, which takes strings and needs two ops of
tensorflow-text, and mood_ids.tflite, which takes ids and runs in any LiteRT
interpreter. --files=mediapipe writes mood_mediapipe.tflite, which MediaPipe
runs. Each file is first compared with the model on the texts. A fine-tuned
model is exported with its task; for an encoder, --task selects the output, by
default the hidden states. See docs/tflite.md.
"""

import pathlib

from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.cli import shared_flags
from keras_bert.export.samples import read_texts
from keras_bert.export.tflite.names import DEFAULT_FILES
from keras_bert.export.tflite.names import PRECISIONS
from keras_bert.export.tflite.names import check_kind
from keras_bert.export.tflite.names import tflite_paths
from keras_bert.files.outputs import check_files

PROGRAM = command_line.Program(__doc__)

_INPUT_DIR = shared_flags.input_dir(PROGRAM)
_OUTPUT_FILE = PROGRAM.required(
    "output_file",
    "Output path: name.tflite writes name_text.tflite and name_ids.tflite.",
)
_KIND = PROGRAM.enum("kind", "int8", PRECISIONS, "Quantization of the weights.")
_FILES = PROGRAM.list(
    "files", [*DEFAULT_FILES], "Files to write: text, ids, mediapipe."
)
_TASK = PROGRAM.enum(
    "task",
    None,
    [
        "fill_mask",
        "text_embedder",
        "sparse_embedder",
        "late_interaction_embedder",
        "feature_extractor",
    ],
    "Task to export; by default the fine-tuned task, or feature_extractor.",
)
_TEXTS_FILE = PROGRAM.optional(
    "texts_file",
    "Texts for comparing each file with the model, one per line, with a "
    "tab between the texts of a pair; by default built-in sentences.",
)
_REPRESENTATIVE_FILE = PROGRAM.optional(
    "representative_file",
    "20 to 100 texts in the same format, to calibrate full_int8.",
)
_MAX_SEQ_LENGTH = shared_flags.max_seq_length(PROGRAM)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_FOR_QUERIES = shared_flags.for_queries(PROGRAM)
_COMPRESSION = shared_flags.vector_compression(PROGRAM)
_FORCE = PROGRAM.bool(
    "force", False, "Write a file even if its error is above the limit."
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)


def main():
    check_input(_INPUT_DIR.value)
    inputs = [_INPUT_DIR.value, *pathlib.Path(_INPUT_DIR.value).glob("*")]
    inputs += filter(None, [_TEXTS_FILE.value, _REPRESENTATIVE_FILE.value])
    check_kind(
        _KIND.value, _FILES.value, _REPRESENTATIVE_FILE.value is not None
    )
    compression = shared_flags.given_compression(_COMPRESSION, _TASK.value)
    paths = tflite_paths(_OUTPUT_FILE.value, _FILES.value)
    check_files(paths.values(), inputs, _OVERWRITE.value)
    # Imported late, so that wrong flags are reported at once.
    command_line.import_quietly("keras")
    from keras_bert.tasks import load_any_task

    task = load_any_task(
        _INPUT_DIR.value,
        _TASK.value,
        default="feature_extractor",
        lowercase=_DO_LOWER_CASE.value,
        seq_length=_MAX_SEQ_LENGTH.value,
    )
    task = shared_flags.exported_task(task, _FOR_QUERIES)
    task.export_tflite(
        _OUTPUT_FILE.value,
        kind=_KIND.value,
        texts=read_texts(task, _TEXTS_FILE.value),
        representative_texts=read_texts(task, _REPRESENTATIVE_FILE.value),
        files=_FILES.value,
        overwrite=_OVERWRITE.value,
        force=_FORCE.value,
        **compression,
    )
    return [*map(str, paths.values())]
