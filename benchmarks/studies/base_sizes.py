"""Count the weights, operations and memory of BERT-base, GPT-1 and ELMo.

    python benchmarks/studies/base_sizes.py

BERT's paper compares these models (arXiv 1810.04805, figure 3). They have their
published sizes and random float32 weights. The operations are the matrix
products of a forward pass over one text of 128 tokens (words for ELMo); a
multiplication and an addition count as two. Each model is measured in a
separate process: the peak memory of the process during the pass, and the
increase over its memory before the pass. This needs Linux.
"""

import json
import math
import pathlib
import re
import sys

import keras
import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

import keras_bert
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.models.family import family_of

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402
from flops import encoding_flops  # noqa: E402

_MODEL = flags.DEFINE_enum(
    "model",
    None,
    ["BERT-base", "GPT-1", "ELMo"],
    "Only measure this model and print JSON.",
)
_SEQ_LENGTH = flags.DEFINE_integer(
    "seq_length", 128, "Number of tokens in the text."
)

_CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
_SEES = {
    "BERT-base": "both sides, in each of 12 layers",
    "GPT-1": "the left side, in each of 12 layers",
    "ELMo": "one side each, in 2 layers of 2 models, concatenated",
}
_MEBIBYTE = 1 << 20


def main(_):
    if _MODEL.value:
        print(json.dumps(_measured(_MODEL.value)))
        return
    print("| | context | parameters | operations | weights | peak |")
    print("|---|---|---|---|---|---|")
    for name, sees in _SEES.items():
        command = [sys.executable, __file__, f"--model={name}"]
        command.append(f"--seq_length={_SEQ_LENGTH.value}")
        found = json.loads(measuring.output(command))
        print(
            f"| {name} | {sees} | {found['parameters']:,} "
            f"| {found['operations'] / 1e9:.1f} billion "
            f"| {found['weights']:.0f} MiB "
            f"| {found['peak']:.0f} MiB, "
            f"{found['peak'] - found['before']:.0f} of it by the pass |",
            flush=True,
        )


def _measured(name):
    model, operations = _elmo() if name == "ELMo" else _transformer(name)
    forward = tf.function(model, jit_compile=False)
    inputs = {
        key: np.ones([1 if n is None else n for n in x.shape], np.int32)
        for key, x in model.input.items()
    }
    for key in ("input_ids", "input_mask", "segment_ids"):
        if key in inputs:
            inputs[key] = inputs[key].repeat(_SEQ_LENGTH.value, axis=1)
    for key in ("state", "cell"):
        if key in inputs:
            inputs[key] = np.zeros_like(inputs[key], np.float32)
    # Reset the peak that the kernel counts.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = _resident("VmRSS")
    forward(inputs)
    return {
        "parameters": model.count_params(),
        "operations": operations,
        "weights": sum(4 * w.numpy().size for w in model.weights) / _MEBIBYTE,
        "before": before,
        "peak": _resident("VmHWM"),
    }


def _resident(name):
    """Return a memory figure of the process, in MiB."""
    text = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", text)[1]) / 1024


def _transformer(name):
    if name == "GPT-1":
        config = OpenAIGPTConfig.from_json(_CONFIGS / "gpt1.json")
    else:
        config = keras_bert.BertConfig.from_json(_CONFIGS / "bert_base.json")
    family = family_of(config.model_type)
    backbone = family.backbone(config)
    operations = encoding_flops(backbone, _SEQ_LENGTH.value)
    return backbone.encoder("encoder"), operations


def _elmo():
    filters = (1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)
    options = keras_bert.models.ElmoOptions(
        filters=filters,
        activation="relu",
        n_highway=2,
        embedding=16,
        n_characters=262,
        max_characters_per_token=50,
        dim=4096,
        projection_dim=512,
        cell_clip=3.0,
        proj_clip=3.0,
        n_layers=2,
        use_skip_connections=True,
    )
    backbone = keras_bert.models.ElmoBackbone(options)
    model = backbone.encoder()
    return model, _SEQ_LENGTH.value * _word_flops(backbone)


def _word_flops(backbone):
    """Return the operations per word: its characters and one LSTM step each."""
    words = backbone.embeddings
    num_characters = backbone.options.max_characters_per_token
    total = 0
    for layer in words.convolutions:
        width = layer.kernel.shape[0]
        total += (num_characters - width + 1) * math.prod(layer.kernel.shape)
    for layer in (*words.highways, words.projection):
        total += math.prod(layer.kernel.shape)
    for lstm in backbone.blocks:
        total += math.prod(lstm.cell.kernel.shape)
        total += math.prod(lstm.cell.projection.shape)
    return 2 * total


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    app.run(main)
