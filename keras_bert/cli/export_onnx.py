"""Write an ONNX file, or an OpenVINO model, and its tokenizer.

    keras-bert export_onnx --input_dir=runs/mood/model \\
        --output_dir=mood-onnx

A fine-tuned model is exported with its task; for an encoder, --task selects the
output. model.onnx maps token ids to outputs such as `logits`; tokenizer.json is
for the library `tokenizers`; manifest.json contains the labels.
--format=openvino writes openvino_model.xml and .bin instead. docs/exporting.md
shows how to run them.
"""

import keras_bert
from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.cli import shared_flags

PROGRAM = command_line.Program(__doc__)

_INPUT_DIR = shared_flags.input_dir(PROGRAM)
_OUTPUT_DIR = PROGRAM.required("output_dir", "Output directory, new or empty.")
_TASK = PROGRAM.enum(
    "task",
    None,
    [
        "text_embedder",
        "sparse_embedder",
        "late_interaction_embedder",
        "feature_extractor",
    ],
    "Task to export if the model has not been fine-tuned.",
)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_FOR_QUERIES = shared_flags.for_queries(PROGRAM)
_FORMAT = PROGRAM.enum(
    "format", "onnx", ["onnx", "openvino"], "Format of the model."
)
_NAMES = PROGRAM.enum(
    "names",
    "hugging_face",
    ["hugging_face", "keras_bert"],
    "Naming scheme for the inputs and outputs, for ONNX.",
)
_PACKED = PROGRAM.bool("packed", False, "Skip padding in the computation.")
_PRECISION = PROGRAM.enum(
    "precision",
    "float32",
    ["float32", "float16", "int8"],
    "Data type of the weights; float16 for OpenVINO.",
)
_TEXT_FILE = PROGRAM.string(
    "text_file",
    None,
    "Texts for comparing int8 with float32, one per line; OpenVINO also "
    "calibrates with them and needs about 320.",
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)


def main():
    check_input(_INPUT_DIR.value)
    options = {"packed": _PACKED.value, "precision": _PRECISION.value}
    if _FORMAT.value == "onnx":
        options["names"] = _NAMES.value
    else:
        command_line.reject("requires --format=onnx", _NAMES)
    command_line.import_quietly("keras")
    # Raises without the extra.
    export = getattr(keras_bert.export, f"export_{_FORMAT.value}")
    from keras_bert.export.onnx.id_directory import check_id_output
    from keras_bert.export.samples import read_texts
    from keras_bert.tasks import load_any_task

    check_id_output(
        _OUTPUT_DIR.value, _FORMAT.value, [_INPUT_DIR.value], _OVERWRITE.value
    )
    task = load_any_task(
        _INPUT_DIR.value, _TASK.value, lowercase=_DO_LOWER_CASE.value
    )
    task = shared_flags.exported_task(task, _FOR_QUERIES)
    texts = read_texts(task, _TEXT_FILE.value)
    export(task, _OUTPUT_DIR.value, _OVERWRITE.value, texts=texts, **options)
