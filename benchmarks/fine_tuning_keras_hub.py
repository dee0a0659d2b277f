"""Fine-tunes and predicts once, with KerasHub, as a peer.

    python benchmarks/fine_tuning_keras_hub.py MODEL_DIR WORK_DIR SEED \\
        PRECISION

`fine_tuning_speed.py` starts it; WORK_DIR holds what
`fine_tuning_tasks.write_task` writes, of texts. It needs keras-hub and
safetensors only. Steps are of 32 texts, and the rest is as KerasHub has it by
default: its optimizer, its rate, and padding to the full length. What it
traces is traced before it is timed. Prints a JSON line as of
`fine_tuning_ours.py`.
"""

import json
import os
import pathlib
import random
import resource
import sys
import time

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras  # noqa: E402
import keras_hub  # noqa: E402

_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
_BATCH_SIZE = 32
_PREDICTION_BATCH_SIZE = 64
_NUM_WARM_UP = 64


def main():
    model_dir, directory, seed, precision = sys.argv[1:]
    keras.config.set_dtype_policy(_POLICIES[precision])
    recipe, splits = (
        json.loads(pathlib.Path(directory, name).read_text())
        for name in ("recipe.json", "splits.json")
    )
    names, epochs = recipe["labels"], recipe["epochs"]
    keras.utils.set_random_seed(int(seed))
    model = keras_hub.models.BertTextClassifier.from_preset(
        model_dir, num_classes=len(names)
    )
    model.preprocessor.sequence_length = recipe["seq_length"]
    # Once, for KerasHub does not shuffle.
    rows = [*zip(*splits["train"], strict=True)]
    random.Random(int(seed)).shuffle(rows)
    texts = [text for text, _ in rows]
    labels = [names.index(label) for _, label in rows]
    _fit(model, texts[:_NUM_WARM_UP], labels[:_NUM_WARM_UP], 1)
    _predict(model, texts[:_NUM_WARM_UP])
    start = time.perf_counter()
    _fit(model, texts, labels, epochs)
    seconds = time.perf_counter() - start
    predictions, num_predicted = {}, 0
    start = time.perf_counter()
    for split in splits.keys() - {"train"}:
        num_predicted += len(splits[split][0])
        found = _predict(model, splits[split][0])
        predictions[split] = [names[place] for place in found]
    predict_seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    result = {
        "train_per_s": len(texts) * epochs / seconds,
        "predict_per_s": num_predicted / predict_seconds,
        "peak_mib": usage.ru_maxrss // 1024,
        "predictions": predictions,
    }
    print(json.dumps(result))


def _fit(model, texts, labels, epochs):
    model.fit(texts, labels, batch_size=_BATCH_SIZE, epochs=epochs, verbose=0)


def _predict(model, texts):
    """The places of the best labels, a list of int."""
    logits = model.predict(texts, batch_size=_PREDICTION_BATCH_SIZE, verbose=0)
    return logits.argmax(axis=-1).tolist()


if __name__ == "__main__":
    main()
