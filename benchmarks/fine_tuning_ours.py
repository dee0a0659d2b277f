"""Fine-tunes and predicts once, with this package.

    python benchmarks/fine_tuning_ours.py MODEL_DIR WORK_DIR SEED PRECISION

`fine_tuning_quality.py` and `fine_tuning_speed.py` start it; WORK_DIR holds
what `fine_tuning_tasks.write_task` writes. It fine-tunes a few steps to warm
up, then the weights of MODEL_DIR by the recipe, and predicts; tokenization is
in both times. Batches are divided in parts, one for each core, as
docs/classification.md recommends. The last epoch counts. Prints a JSON line:
speeds, peak memory, predictions, and what the package warned of.
"""

import json
import logging
import os
import pathlib
import resource
import sys
import time

import absl.logging
import keras
import tensorflow as tf
from fine_tuning_scores import squad_object

import keras_bert

_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
_NUM_WARM_UP = 64


def main():
    model_dir, directory, seed, precision = sys.argv[1:]
    keras.config.set_dtype_policy(_POLICIES[precision])
    num_cores = len(os.sched_getaffinity(0))
    if num_cores > 1:
        tf.config.threading.set_intra_op_parallelism_threads(1)
    recipe, splits = (
        json.loads(pathlib.Path(directory, name).read_text())
        for name in ("recipe.json", "splits.json")
    )
    task = {
        "texts": _Texts,
        "features": _Features,
        "words": _Words,
        "choices": _Choices,
        "questions": _Questions,
    }[recipe["kind"]](model_dir, recipe)
    fitting = {
        "learning_rate": recipe["learning_rate"],
        "seed": int(seed),
        "parallel_parts": num_cores,
        "verbose": 0,
    }
    inputs, labels = splits["train"]
    some = inputs[:_NUM_WARM_UP], labels[:_NUM_WARM_UP]
    task.fit(task.make(), *some, epochs=1, **fitting)
    warnings = _Warnings()
    absl.logging.get_absl_logger().addHandler(warnings)
    keras.utils.set_random_seed(int(seed))
    model = task.make()
    start = time.perf_counter()
    task.fit(model, inputs, labels, epochs=recipe["epochs"], **fitting)
    seconds = time.perf_counter() - start
    predictions, num_predicted = {}, 0
    start = time.perf_counter()
    for split in splits.keys() - {"train"}:
        num_predicted += len(splits[split][0])
        predictions[split] = task.predict(model, splits[split][0])
    predict_seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    result = {
        "train_per_s": len(inputs) * recipe["epochs"] / seconds,
        "predict_per_s": num_predicted / predict_seconds,
        "peak_mib": usage.ru_maxrss // 1024,
        "predictions": predictions,
        "warnings": warnings.messages,
    }
    print(json.dumps(result))


class _Warnings(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


class _Texts:
    kind = keras_bert.TextClassifier

    def __init__(self, model_dir, recipe):
        self.model_dir = model_dir
        self.options = {"seq_length": recipe["seq_length"]}
        if recipe["labels"]:
            self.options["labels"] = recipe["labels"]

    def make(self):
        return self.kind.from_pretrained(self.model_dir, **self.options)

    def fit(self, model, inputs, labels, **fitting):
        model.fit(inputs, labels, **fitting)

    def predict(self, model, inputs):
        return [answer["label"] for answer in model.predict(inputs)]


class _Features(_Texts):
    kind = keras_bert.tasks.FeatureTextClassifier


class _Words(_Texts):
    kind = keras_bert.TokenClassifier

    def predict(self, model, inputs):
        return model.predict_words(inputs)


class _Choices(_Texts):
    kind = keras_bert.MultipleChoice

    def predict(self, model, inputs):
        return [answer["choice"] for answer in model.predict(inputs)]


class _Questions(_Texts):
    kind = keras_bert.QuestionAnswerer

    def fit(self, model, inputs, labels, **fitting):
        model.fit(squad_object(inputs, labels), **fitting)

    def predict(self, model, inputs):
        return [answer["answer"] for answer in model.predict(inputs)]


if __name__ == "__main__":
    main()
