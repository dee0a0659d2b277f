"""Tiny models that the page shows, and the page itself."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

from keras_bert import save_pretrained
from keras_bert.playground.all_tabs import TABS
from keras_bert.playground.shown_model import shown_model
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier

_ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="session")
def directories(make_bert, tmp_path_factory):
    """Directories of models with random weights, by what they can do."""
    root = tmp_path_factory.mktemp("models")
    bert = make_bert()
    save_pretrained(bert, root / "bert")
    save_pretrained(bert.with_parts([]), root / "encoder")
    classifier = TextClassifier(bert, labels=["good", "bad"])
    classifier.note_pairs(False)
    tasks = {
        "classifier": classifier,
        "pairs": TextClassifier(bert, labels=["same", "other"]),
        "regressor": TextRegressor(bert),
        "answerer": QuestionAnswerer(bert),
        "tagger": TokenClassifier(bert, labels=["O", "B-PET", "I-PET"]),
        "chooser": MultipleChoice(bert),
    }
    tasks["pairs"].note_pairs(True)
    for name, task in tasks.items():
        task.save(root / name)
    return {path.name: str(path) for path in root.iterdir()}


@pytest.fixture(scope="session")
def shown(directories):
    """Makes the `ShownModel` of one of `directories`, once."""
    return lambda name: shown_model(directories[name])


@pytest.fixture(scope="session")
def own_tabs(shown):
    """The tabs of a model but for those that every model has."""
    common = {tab for tab in TABS if not tab.lacking(shown("encoder"))}

    def own_tabs(name):
        model = shown(name)
        able = [tab for tab in TABS if not tab.lacking(model)]
        # They are drawn once, those of the model of all parts.
        return [tab for tab in able if name == "bert" or tab not in common]

    return own_tabs


@pytest.fixture(scope="session")
def serve():
    """Serves the page of a directory by the program; gives its address.

    In a process of its own, for Gradio leaves event loops and sockets to the
    garbage collector, whose warnings would be errors of other tests.
    """
    processes = []

    def serve(directory):
        process = subprocess.Popen(
            [
                sys.executable,
                "tools/playground.py",
                f"--model_dir={directory}",
                "--nobrowser",
            ],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        line = process.stdout.readline()
        assert line.startswith("The playground is at http://"), line
        return line.split()[4].rstrip(";")

    yield serve
    for process in processes:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130  # As Ctrl-C ends it.
        process.stdout.close()
