"""Writes a SavedModel that takes plain text.

    python tools/export_saved_model.py --input_dir=runs/mood/model \\
        --output_dir=served/mood

--output_dir is the folder of the model's versions, as TensorFlow Serving
wants it: served/mood/1 is written, beside it what a server is configured by.
A fine-tuned model answers its own task; of an encoder, or of a run of
pre-training, --task tells what it answers. Of a run that is not finished the
newest state is exported.

The signature `serving_default` takes strings, `ids` takes the id tensors.
"""

from absl import flags
from absl import logging

from keras_bert import command_line

_INPUT_DIR = flags.DEFINE_string(
    "input_dir", None, "Checkpoint directory.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Folder of the model's versions.", required=True
)
_VERSION = flags.DEFINE_integer(
    "version", 1, "The number of this version.", lower_bound=1
)
_TASK = flags.DEFINE_enum(
    "task",
    None,
    ["fill_mask", "text_embedder", "feature_extractor"],
    "What an encoder answers; fill_mask by default. A fine-tuned model "
    "answers its own task.",
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length",
    None,
    "Longest text; as trained, or the model's limit, by default.",
    lower_bound=3,
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)
_PRECISION = flags.DEFINE_enum(
    "precision",
    "float32",
    ["float32", "mixed_bfloat16"],
    "Of the matrix products, and of their weights in the file.",
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    # Imported late, so that the manual is there at once.
    import keras

    from keras_bert.checkpoints.layout import check_input
    from keras_bert.export.serving_files import version_directory
    from keras_bert.export.serving_lines import curl_line
    from keras_bert.export.serving_lines import docker_line
    from keras_bert.export.serving_lines import grpc_program
    from keras_bert.tasks import load_any_task

    check_input(_INPUT_DIR.value)
    place = version_directory(
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
    )
    task.export_saved_model(_OUTPUT_DIR.value, _VERSION.value, _OVERWRITE.value)
    logging.info(
        "Wrote %s. Outputs: %s.\n\nServe it:\n%s\n\nAsk it by REST:\n%s\n\n"
        "Ask it by gRPC, in Python:\n%s",
        place,
        ", ".join(task.outputs),
        docker_line(_OUTPUT_DIR.value),
        curl_line(task, _OUTPUT_DIR.value),
        grpc_program(task, _OUTPUT_DIR.value),
    )


if __name__ == "__main__":
    command_line.run(main)
