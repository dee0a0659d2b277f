"""Writes a SavedModel that takes plain text.

    python tools/export_saved_model.py --input_dir=runs/tiny \\
        --output_dir=served/1 --task=fill_mask

TensorFlow Serving loads it as it is. The signature `serving_default` takes
strings under the name `text`; `ids` takes the three id tensors. Of a run of
pre-training that is not finished the newest state is exported.
"""

import json

from absl import flags
from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.export.output import check_saved_model_output

_TASKS = {
    "fill_mask": "FillMask",
    "text_embedder": "TextEmbedder",
    "feature_extractor": "FeatureExtractor",
}

_INPUT_DIR = flags.DEFINE_string(
    "input_dir", None, "Checkpoint directory.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "The SavedModel; new or empty.", required=True
)
_TASK = flags.DEFINE_enum(
    "task", "fill_mask", sorted(_TASKS), "What the model answers."
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length",
    None,
    "Longest text; the model's limit by default.",
    lower_bound=3,
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    check_input(_INPUT_DIR.value)
    check_saved_model_output(
        _OUTPUT_DIR.value, [_INPUT_DIR.value], _OVERWRITE.value
    )
    task = getattr(keras_bert.tasks, _TASKS[_TASK.value]).from_pretrained(
        _INPUT_DIR.value,
        lowercase=_DO_LOWER_CASE.value,
        seq_length=_MAX_SEQ_LENGTH.value,
    )
    keras_bert.export.export_saved_model(
        task, _OUTPUT_DIR.value, _OVERWRITE.value
    )
    request = json.dumps({"inputs": {"text": ["Some text to [MASK]."]}})
    logging.info(
        "Wrote %s. Outputs: %s. A request to TensorFlow Serving: "
        "curl -d '%s' http://localhost:8501/v1/models/NAME:predict",
        _OUTPUT_DIR.value,
        ", ".join(task.outputs),
        request,
    )


if __name__ == "__main__":
    command_line.run(main)
