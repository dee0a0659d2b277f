"""Tiny models that the page shows, and the page itself."""

import pytest

from keras_bert import save_pretrained
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier


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
    from keras_bert.playground.shown_model import shown_model

    return lambda name: shown_model(directories[name])


@pytest.fixture(scope="session")
def serve():
    """Serves the page of a directory and gives its address."""
    from keras_bert.playground.all_tabs import TABS
    from keras_bert.playground.server import launch
    from keras_bert.playground.shown_model import ShownModel

    pages = []

    def serve(directory):
        page, address = launch(ShownModel(directory), TABS)
        pages.append(page)
        return address

    yield serve
    for page in pages:
        page.close(verbose=False)
