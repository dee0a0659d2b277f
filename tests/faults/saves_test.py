"""Saved models survive failed and killed writes whole; see writes_test.py."""

import functools

import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert import tasks
from keras_bert.checkpoints import save_adapter
from tests import tiny
from tests.faults.writes import Writer
from tests.faults.writes import digest
from tests.faults.writes import try_all

pytestmark = pytest.mark.large

_ROWS = [{"text": "the dog", "label": "x"}, {"text": "a cat", "label": "y"}] * 4
_PAIRS = [("the dog", "a dog"), ("a cat", "the cat"), ("meat", "fish")]


@functools.cache
def _bert(seed):
    return tiny.widened(tiny.make_bert(), seed)


@functools.cache
def _classifier(seed):
    classifier = tasks.TextClassifier(tiny.make_bert(), labels=["x", "y"])
    tiny.widened(classifier.model, seed)
    return classifier


@functools.cache
def _adapted(seed):
    classifier = tasks.TextClassifier(tiny.make_bert(), labels=["x", "y"])
    classifier.fit(_ROWS, epochs=1, lora_rank=2, seed=seed, verbose=0)
    return classifier.pretrained


def _write_negatives(seed, folder):
    tasks.mine_hard_negatives(
        tasks.TextEmbedder(_bert(seed)),
        _PAIRS,
        folder / "out.jsonl",
        num_negatives=1,
        overwrite=True,
    )


# Functions that write with weights of a seed, and that read a model.
_SAVED = {
    **{
        format: (
            lambda seed, folder, format=format: save_pretrained(
                _bert(seed), folder / "out", format=format, overwrite=True
            ),
            lambda folder: from_pretrained(folder / "out", lowercase=True),
        )
        for format in ("keras", "hf", "tf1")
    },
    "classifier": (
        lambda seed, folder: _classifier(seed).save(
            folder / "out", overwrite=True
        ),
        lambda folder: (
            tasks.TextClassifier.from_pretrained(folder / "out").model
        ),
    ),
    "embedder": (
        lambda seed, folder: tasks.TextEmbedder(_bert(seed)).save(
            folder / "out", format="hf", overwrite=True
        ),
        lambda folder: tasks.TextEmbedder.from_pretrained(folder / "out").model,
    ),
    "adapter": (
        lambda seed, folder: save_adapter(
            _adapted(seed), folder / "out", overwrite=True
        ),
        None,
    ),
    "negatives": (_write_negatives, None),
}


@pytest.mark.smoke("keras", "negatives")
@pytest.mark.parametrize("name", _SAVED)
def test_a_saved_model_is_old_or_new(tmp_path, name):
    write, read = _SAVED[name]
    start = tmp_path / "start"
    (start / "out").mkdir(parents=True)
    if name not in ("adapter", "negatives"):
        (start / "out/notes.txt").write_text("mine")
    write(0, start)

    def whole(folder):
        return read and digest(read(folder))

    try_all(Writer(functools.partial(write, 1), whole), start, tmp_path)
