"""Write a SavedModel that takes plain text.

    keras-bert export_saved_model --input_dir=runs/mood/model \\
        --output_dir=served/mood

--output_dir is the directory of the model's versions, as in TensorFlow
Serving: the version served/mood/1 and the server's configuration are written.
A fine-tuned model is exported with its task; for an encoder or a pre-training
run, --task selects the output. An unfinished run is exported from its latest
training state. A left-to-right model can generate text:

    keras-bert export_saved_model --input_dir=runs/gpt1 \\
        --output_dir=served/gpt --task=text_generator --temperature=0.8

The signature `serving_default` takes strings, `ids` takes the id tensors.
"""

from absl import logging

from keras_bert import command_line
from keras_bert.cli import shared_flags

PROGRAM = command_line.Program(__doc__)

_INPUT_DIR = shared_flags.input_dir(PROGRAM)
_OUTPUT_DIR = PROGRAM.required(
    "output_dir", "Directory of the model's versions."
)
_VERSION = PROGRAM.integer(
    "version", 1, "Version number of the model.", lower_bound=1
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
        "text_generator",
    ],
    "Task to export for an encoder; fill_mask by default. Not for "
    "fine-tuned models.",
)
_MAX_SEQ_LENGTH = shared_flags.max_seq_length(PROGRAM)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_FOR_QUERIES = shared_flags.for_queries(PROGRAM)
_PRECISION = PROGRAM.enum(
    "precision",
    "float32",
    ["float32", "mixed_bfloat16"],
    "Dtype policy; it also sets the dtype of weight matrices in the file.",
)
_COMPRESSION = shared_flags.vector_compression(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)
_SAMPLING = shared_flags.sampling(PROGRAM)


def main():
    # Imported late, so that --help is fast.
    keras = command_line.import_quietly("keras")
    from keras_bert.checkpoints.layout import check_input
    from keras_bert.export.saved_model.serving_files import version_directory
    from keras_bert.export.saved_model.serving_lines import curl_line
    from keras_bert.export.saved_model.serving_lines import docker_line
    from keras_bert.tasks import load_any_task

    sampling = _sampling()
    compression = shared_flags.given_compression(_COMPRESSION, _TASK.value)
    check_input(_INPUT_DIR.value)
    version_path = version_directory(
        _OUTPUT_DIR.value,
        _VERSION.value,
        [_INPUT_DIR.value],
        _OVERWRITE.value,
    )
    keras.config.set_dtype_policy(_PRECISION.value)
    task = load_any_task(
        _INPUT_DIR.value,
        _TASK.value,
        lowercase=_DO_LOWER_CASE.value,
        seq_length=_MAX_SEQ_LENGTH.value,
        **sampling,
    )
    task = shared_flags.exported_task(task, _FOR_QUERIES)
    task.export_saved_model(
        _OUTPUT_DIR.value, _VERSION.value, _OVERWRITE.value, **compression
    )
    logging.info(
        "Serve it:\n%s\n\nQuery it by REST (gRPC: docs/serving.md):\n%s",
        docker_line(_OUTPUT_DIR.value),
        curl_line(task, _OUTPUT_DIR.value),
    )
    logging.info("Outputs: %s.", ", ".join(task.output_names))
    return f"{version_path}"


def _sampling():
    if _TASK.value == "text_generator":
        command_line.reject(
            "does not apply to --task=text_generator", _MAX_SEQ_LENGTH
        )
        return {name: holder.value for name, holder in _SAMPLING.items()}
    for holder in _SAMPLING.values():
        command_line.reject("requires --task=text_generator", holder)
    return {}
