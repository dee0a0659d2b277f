"""Tiny models for the playground, and its page."""

import contextlib
import functools
import os
import pathlib
import signal
import subprocess
import sys

import keras
import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.playground.playground_model import PlaygroundModel
from keras_bert.playground.playground_model import load_playground_model
from keras_bert.playground.tabs import TABS
from keras_bert.tasks import FeatureTextClassifier
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier
from tests import tiny

_ROOT = pathlib.Path(__file__).parents[2]
_SIZES = {"H": 16, "I": 32, "P": 34}


@pytest.fixture(scope="session")
def directories(make_bert, make_settings, tmp_path_factory):
    """Return directories of models with random weights, by capability."""
    root = tmp_path_factory.mktemp("models")
    bert = make_bert(num_hidden_layers=2)
    save_pretrained(bert, root / "bert")
    save_pretrained(bert.with_parts([]), root / "encoder")
    # It generates twelve tokens, more than the other models have room for.
    generator = make_bert(is_decoder=True, max_position_embeddings=20)
    save_pretrained(generator, root / "left_to_right")
    config = OpenAIGPTConfig(18, 20, 16, 2, 2, initializer_range=0.5)
    gpt = PretrainedModel.from_config(config, bert.tokenizer)
    save_pretrained(gpt, root / "gpt")
    electra = tiny.config("electra", V=18, E=8, **_SIZES)
    parts = ["replaced_token_head"]
    discriminator = PretrainedModel.from_config(electra, bert.tokenizer, parts)
    save_pretrained(discriminator, root / "electra")
    settings = make_settings("byte_bpe")
    for name in ("roberta", "modernbert"):
        config = tiny.config(name, V=275, **_SIZES)
        made = PretrainedModel.from_config(config, settings)
        save_pretrained(made, root / name)
    labels = ["good", "bad"]
    classifier = TextClassifier(bert, labels=labels)
    classifier.settings["is_pair"] = False
    tasks = {
        "classifier": classifier,
        "several": TextClassifier(bert, labels=labels, multi_label=True),
        "windows": TextClassifier(bert, labels=labels, windows="mean"),
        "features": FeatureTextClassifier(bert, labels=labels, lstm_size=2),
        "pairs": TextClassifier(bert, labels=["same", "other"]),
        "regressor": TextRegressor(bert),
        "answerer": QuestionAnswerer(bert),
        "unsure": QuestionAnswerer(bert),
        "tagger": TokenClassifier(bert, labels=["O", "B-PET", "I-PET"]),
        "chooser": MultipleChoice(bert),
    }
    tasks["pairs"].settings["is_pair"] = True
    # A text gets both labels or none.
    kernel = tasks["several"]._last_layer.logits.kernel
    kernel.assign(keras.ops.repeat(kernel[:, :1], 2, axis=1))
    tasks["unsure"].null_threshold = -100.0
    for name, task in tasks.items():
        task.save(root / name)
    return {path.name: str(path) for path in root.iterdir()}


@pytest.fixture(scope="session")
def shown(directories):
    """Return a function that loads a model of `directories` once."""
    return lambda name: load_playground_model(directories[name])


@pytest.fixture(scope="session")
def shown_beside(directories):
    """Return the `PlaygroundModel` of "bert" with a left-to-right model."""
    return PlaygroundModel(
        directories["bert"], left_to_right_dir=directories["left_to_right"]
    )


@pytest.fixture(scope="session")
def own_tabs(shown):
    """Return the tabs of a model without the tabs of every model."""
    common = {tab for tab in TABS if not tab.missing_part(shown("encoder"))}

    def own_tabs(name):
        model = shown(name)
        able = [tab for tab in TABS if not tab.missing_part(model)]
        # The tabs are rendered once, for the model with all parts.
        return [tab for tab in able if name == "bert" or tab not in common]

    return own_tabs


@pytest.fixture(scope="session")
def serve():
    """Return a function that serves a directory and returns the address.

    The server is a separate process, because Gradio leaves event loops and
    sockets to the garbage collector, and their warnings would fail other tests.
    """
    processes = []
    with contextlib.ExitStack() as stack:

        @functools.cache
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
            stack.enter_context(process)
            stack.callback(process.kill)
            processes.append(process)
            line = process.stdout.readline()
            assert line.startswith("The playground is at http://"), line
            return line.split()[4].rstrip(";")

        yield serve
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            assert process.wait(60) == 130  # Like Ctrl-C.
