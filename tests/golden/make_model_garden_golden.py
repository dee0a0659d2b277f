"""Write checkpoints and outputs of a BERT of the TensorFlow Model Garden.

Needs tf-models-official, which is not a dependency of the project. The files
next to this one come from tf-models-official 2.20.0 and tensorflow 2.20.0 on
Python 3.11:

    pip install tf-models-official==2.20.0 tensorflow==2.20.0
    TF_USE_LEGACY_KERAS=1 python tests/golden/make_model_garden_golden.py

The program writes to `model_garden` a checkpoint of the pre-training task
(`pretrainer`, with an optimizer after one step), one of only the encoder
(`encoder`, as converted from TF1), one of the encoder as a layer
(`encoder_v2`), and `outputs.npz` with `inputs/...` and `outputs/...`. All
three have the same encoder. Every seed is fixed, but the bytes of TensorFlow's
files can differ between runs.

`pooled_output` comes from the encoder's pooler, `pooler_transform`. The head of
the task has its own pooler, `pooler_dense`, with the output
`next_sentence_pooled_output`; `next_sentence` is computed only from it.
"""

import json
import os
import pathlib
import shutil
import string

import numpy as np
import tensorflow as tf
from official.modeling import tf_utils
from official.nlp.modeling import layers
from official.nlp.modeling import models
from official.nlp.modeling import networks

_DIRECTORY = pathlib.Path(__file__).resolve().parent / "model_garden"
_CHECKPOINT = "bert_model.ckpt"
_SEED = 1810
_STDDEV = 0.5
_LENGTHS = (12, 7, 3)
_SEGMENT_STARTS = (6, 4, 2)  # First position of segment 1.
_MASKED_LM_POSITIONS = ((1, 5, 8, 11), (2, 4, 6, 0), (1, 0, 0, 0))
_CONFIG = {
    "vocab_size": 40,
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 16,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "initializer_range": 0.02,
}
_VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *string.ascii_lowercase,
    *(f"##{letter}" for letter in string.ascii_lowercase[:9]),
)


def make_encoder(encoder_class, **arguments):
    """Return a tiny encoder built from the configs of the Model Garden."""
    return encoder_class(
        vocab_size=_CONFIG["vocab_size"],
        hidden_size=_CONFIG["hidden_size"],
        num_layers=_CONFIG["num_hidden_layers"],
        num_attention_heads=_CONFIG["num_attention_heads"],
        inner_dim=_CONFIG["intermediate_size"],
        inner_activation=tf_utils.get_activation("gelu"),
        max_sequence_length=_CONFIG["max_position_embeddings"],
        type_vocab_size=_CONFIG["type_vocab_size"],
        **arguments,
    )


def make_pretrainer(inputs):
    """Return a pre-trainer built like in `official/nlp/tasks/masked_lm.py`.

    BERT's initial values (stddev 0.02, biases 0, gains 1) would hide a swapped
    bias or a missing gain, so all weights are drawn widely around them.
    """
    head = layers.ClassificationHead(
        inner_dim=_CONFIG["hidden_size"],
        num_classes=2,
        dropout_rate=0.1,
        name="next_sentence",
    )
    model = models.BertPretrainerV2(
        make_encoder(networks.BertEncoder, dict_outputs=True),
        mlm_activation=tf_utils.get_activation("gelu"),
        classification_heads=[head],
    )
    model(inputs)
    random = np.random.default_rng(_SEED)
    for variable in sorted(model.variables, key=lambda v: v.name):
        center = float("gamma" in variable.name)
        variable.assign(random.normal(center, _STDDEV, variable.shape))
    return model


def make_inputs():
    """Return three padded rows of two segments, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    positions = np.arange(max(_LENGTHS))[None, :]  # [1, S]
    lengths = np.array(_LENGTHS)[:, None]  # [B, 1]
    starts = np.array(_SEGMENT_STARTS)[:, None]  # [B, 1]
    input_mask = positions < lengths  # [B, S]
    input_type_ids = (positions >= starts) & input_mask
    input_word_ids = random.integers(1, 40, input_mask.shape) * input_mask
    inputs = {
        "input_word_ids": input_word_ids,
        "input_mask": input_mask,
        "input_type_ids": input_type_ids,
        "masked_lm_positions": np.array(_MASKED_LM_POSITIONS),
    }
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def take_step(model, inputs):
    """Train the model for one step and return the optimizer with its slots."""
    optimizer = tf.keras.optimizers.legacy.Adam(1e-3)
    with tf.GradientTape() as tape:
        outputs = model(inputs, training=False)
        loss = sum(
            tf.reduce_mean(tf.square(outputs[name]))
            for name in ("mlm_logits", "next_sentence", "pooled_output")
        )
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(
        zip(gradients, model.trainable_variables, strict=True)
    )
    return optimizer


def save(name, **objects):
    """Write a directory with config, vocabulary and checkpoint."""
    directory = _DIRECTORY / name
    directory.mkdir(parents=True)
    config = json.dumps(_CONFIG, indent=2) + "\n"
    (directory / "bert_config.json").write_text(config)
    (directory / "vocab.txt").write_text("\n".join(_VOCABULARY) + "\n")
    tf.train.Checkpoint(**objects).write(str(directory / _CHECKPOINT))


def main():
    shutil.rmtree(_DIRECTORY, ignore_errors=True)
    inputs = make_inputs()
    model = make_pretrainer(inputs)
    optimizer = take_step(model, inputs)
    save(
        "pretrainer",
        global_step=tf.Variable(1, dtype=tf.int64, name="global_step"),
        model=model,
        optimizer=optimizer,
        **model.checkpoint_items,
    )
    encoder = model.encoder_network
    save("encoder", model=encoder, encoder=encoder)
    encoder_v2 = make_encoder(networks.BertEncoderV2)
    encoder_v2(encoder_v2.inputs)
    encoder_v2.set_weights(encoder.get_weights())
    save("encoder_v2", encoder=encoder_v2)
    outputs = model(inputs, training=False)
    arrays = {f"inputs/{name}": value for name, value in inputs.items()}
    for name in (
        *("sequence_output", "pooled_output"),
        *("mlm_logits", "next_sentence"),
    ):
        arrays[f"outputs/{name}"] = outputs[name].numpy()
    (head,) = model.classification_heads
    pooled = head(outputs["sequence_output"], only_project=True)
    arrays["outputs/next_sentence_pooled_output"] = pooled.numpy()
    temporary = _DIRECTORY / "outputs.npz.tmp"
    with open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(temporary, _DIRECTORY / "outputs.npz")


if __name__ == "__main__":
    main()
