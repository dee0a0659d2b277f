"""Measure exports of the three kinds of embedders.

    python benchmarks/search_exports.py --model_dir=all-MiniLM-L6-v2 \\
        --texts_file=texts.txt

The weights of a model of the size of --model_dir are random, because the speed
does not depend on them, and a sparse embedder needs a masked-LM head. Each
export embeds the lines of --texts_file in batches of 32, from strings or, for
ONNX, from ids. The median of --rounds calls of all texts is shown, in
milliseconds of processor time for a text, with the size of the files and the
bytes that a text returns.
"""

import itertools
import pathlib
import tempfile
import time

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags
from measuring import median

import keras_bert
from keras_bert.checkpoints import PretrainedModel

_MODEL_DIR = flags.DEFINE_string(
    "model_dir",
    None,
    "Directory with a config and a vocabulary.",
    required=True,
)
_TEXTS_FILE = flags.DEFINE_string(
    "texts_file", None, "File with one text per line.", required=True
)
_NUM_TEXTS = flags.DEFINE_integer("num_texts", 256, "Number of texts.")
_ROUNDS = flags.DEFINE_integer("rounds", 5, "Number of measured rounds.")
_BATCH_SIZE, _SEQ_LENGTH = 32, 128


def main(_):
    texts = pathlib.Path(_TEXTS_FILE.value).read_text().splitlines()
    texts = texts[: _NUM_TEXTS.value]
    model = keras_bert.from_pretrained(_MODEL_DIR.value)
    model = PretrainedModel.from_config(
        model.config, model.tokenizer_settings, {"masked_lm_head"}
    )
    options = {"seq_length": _SEQ_LENGTH}
    late = keras_bert.LateInteractionEmbedder(model, **options)
    embedders = {
        "dense": keras_bert.TextEmbedder(model, normalize=True, **options),
        "sparse": keras_bert.SparseEmbedder(
            model, max_active_dims=256, **options
        ),
        "late interaction, documents": late,
        "late interaction, queries": late.for_queries(),
    }
    print("| embedder | export | MB | ms a text | bytes a text |")
    print("|---|---|---|---|---|")
    for (name, embedder), (export, make) in itertools.product(
        embedders.items(), _EXPORTS.items()
    ):
        with tempfile.TemporaryDirectory() as folder:
            try:
                call = make(embedder, pathlib.Path(folder))
            except ValueError:  # Random weights may lose too much in int8.
                print(f"| {name} | {export} | refused | | |", flush=True)
                continue
            size = sum(
                path.stat().st_size
                for path in pathlib.Path(folder).rglob("*")
                if path.suffix in (".onnx", ".pb") or "variables" in str(path)
            )
            inputs = _inputs(embedder, texts, is_ids=export != "SavedModel")
            seconds, num_bytes = _measured(call, inputs)
        print(
            f"| {name} | {export} | {size / 1e6:.1f} "
            f"| {1000 * seconds / len(texts):.2f} "
            f"| {num_bytes / len(texts):,.0f} |",
            flush=True,
        )


def _inputs(embedder, texts, is_ids):
    """Return the batches, strings or dicts of ids."""
    starts = range(0, len(texts), _BATCH_SIZE)
    batches = [texts[start : start + _BATCH_SIZE] for start in starts]
    if not is_ids:
        return [{"text": tf.constant(batch)} for batch in batches]
    encoded = [embedder.preprocess(batch) for batch in batches]
    names = {"input_mask": "attention_mask", "segment_ids": "token_type_ids"}
    inputs = []
    for batch in encoded:
        width = int(np.max(np.sum(batch["input_mask"], axis=1)))
        inputs.append(
            {
                names.get(name, name): np.array(x[:, :width], np.int64)
                for name, x in batch.items()
            }
        )
    return inputs


def _measured(call, inputs):
    """Return the median processor time of all batches, and their bytes."""
    num_bytes = sum(x.nbytes for batch in inputs for x in call(batch))
    seconds = []
    for _ in range(_ROUNDS.value):
        start = time.process_time()
        for batch in inputs:
            call(batch)
        seconds.append(time.process_time() - start)
    return median(seconds), num_bytes


def _saved_model(embedder, folder):
    embedder.export_saved_model(folder)
    loaded = tf.saved_model.load(str(folder / "1"))
    signature = loaded.signatures["serving_default"]
    return lambda batch: [x.numpy() for x in signature(**batch).values()]


def _onnx(embedder, folder, **options):
    import onnxruntime

    embedder.export_onnx(folder, **options)
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    outputs = [output.name for output in session.get_outputs()]
    wanted = [name for name in outputs if name != "last_hidden_state"]
    return lambda batch: session.run(wanted, batch)


_EXPORTS = {
    "SavedModel": _saved_model,
    "ONNX, packed": lambda *to: _onnx(*to, packed=True),
    "ONNX, packed, int8": lambda *to: _onnx(*to, packed=True, precision="int8"),
}


if __name__ == "__main__":
    app.run(main)
