"""Use and train saved tasks; a test compares the results of the backends."""

import json
import pathlib

import keras
import numpy as np

import keras_bert
from keras_bert import tasks

_IS_TENSORFLOW = keras.backend.backend() == "tensorflow"


def results(directory, case):
    """Return the outputs of a saved task, before and after training.

    Args:
        directory: `pathlib.Path` of the task. The trained task is saved next to
            it, in a directory with the suffix "_learned".
        case: dict with the class of the task, `kind`; `texts` to predict; and
            `examples`, a list of arguments of `fit`, empty for no training.
    """
    kind, texts, examples = case["kind"], case["texts"], case["examples"]
    task = getattr(tasks, kind).from_pretrained(directory)
    found = {"outputs": outputs(task, texts)}
    if examples:
        # Each epoch is one batch.
        recipe = {"epochs": 50, "batch_size": 32, "learning_rate": 1e-3}
        recipe["recompute"] = not _IS_TENSORFLOW  # The results are the same.
        if "scored" in examples[0]:  # Several datasets.
            found["losses"] = _losses_of_several(task, examples[0], recipe)
            found["learned"] = outputs(task, texts)
            task.save(learned(directory), overwrite=True)
            return found
        if kind == "LateInteractionEmbedder" and not _IS_TENSORFLOW:
            recipe["mini_batch_size"] = 2  # The gradients are the same.
        history = task.fit(*examples, verbose=0, **recipe)
        found["losses"] = history.history["loss"]
        found["learned"] = outputs(task, texts)
        found["scores"] = [*task.evaluate(*examples).values()]
        task.save(learned(directory), overwrite=True)
    return found


def _losses_of_several(task, datasets, recipe):
    """Train an embedder on several datasets."""
    loss = {name: None for name in datasets}
    loss["scored"] = keras_bert.losses.CoSENTLoss()
    data = {**datasets, "scored": tuple(datasets["scored"])}
    recipe = {**recipe, "epochs": 10}
    return task.fit(data, loss=loss, verbose=0, **recipe).history["loss"]


def learned(directory):
    return directory.with_name(f"{directory.name}_learned")


def outputs(task, texts):
    """Return the logits, vectors or probabilities of texts as a flat list."""
    if isinstance(task, tasks.FillMask):
        fillings = [x for answers in task(texts) for x in sum(answers, [])]
        found = [filling["probability"] for filling in fillings]
    elif isinstance(task, tasks.TextEmbedder):
        found = task.embed(texts)
    elif isinstance(task, tasks.LateInteractionEmbedder):
        found = [task.embed_query(texts), task.embed_document(texts)]
        found = [x.values for x in found]
    elif isinstance(task, tasks.SparseEmbedder):
        found = [task.embed_query(texts), task.embed_document(texts)]
        found = [x.toarray() for x in found]
    else:
        task.predict(texts)
        found = task._logits(task._encode(texts))
    arrays = [np.ravel(x) for x in keras.tree.flatten(found)]
    return np.concatenate(arrays).tolist()


def main(folder):
    """Read `cases.json` and write `found.json` and the trained tasks."""
    folder = pathlib.Path(folder)
    cases = json.loads((folder / "cases.json").read_text())
    found = {name: results(folder / name, x) for name, x in cases.items()}
    (folder / "found.json").write_text(json.dumps(found))
