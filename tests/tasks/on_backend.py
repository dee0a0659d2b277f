"""Use and train saved tasks; a test compares the results of the backends."""

import json
import pathlib

import keras
import numpy as np

from keras_bert import tasks


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
        history = task.fit(*examples, verbose=0, **recipe)
        found["losses"] = history.history["loss"]
        found["learned"] = outputs(task, texts)
        found["scores"] = [*task.evaluate(*examples).values()]
        task.save(learned(directory), overwrite=True)
    return found


def learned(directory):
    return directory.with_name(f"{directory.name}_learned")


def outputs(task, texts):
    """Return the logits, vectors or probabilities of texts as a flat list."""
    if isinstance(task, tasks.FillMask):
        fillings = [x for answers in task(texts) for x in sum(answers, [])]
        found = [filling["probability"] for filling in fillings]
    elif isinstance(task, tasks.TextEmbedder):
        found = task.embed(texts)
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
