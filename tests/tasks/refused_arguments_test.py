"""Arguments that tasks refuse, with the words of the error."""

import functools
import math

import keras
import numpy as np
import pytest

from keras_bert import losses
from keras_bert import tasks
from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample
from keras_bert.tasks.occlusion import occlusion
from keras_bert.tasks.outputs.scores import glue_scores
from tests import tiny
from tests.tasks.cases import CASES
from tests.tasks.cases import create

_NLI = ["contradiction", "neutral", "entailment"]
_PAIR = ("a bird", "eats meat")
_COSENT, _LIST_NET = losses.CoSENTLoss(), losses.ListNetLoss()
_READ = MultipleChoiceExample("a", ("b", "c"), None, "a.csv, line 3")
_MAKE = {
    "fill_mask": lambda: tasks.FillMask(tiny.make_bert(), seq_length=6),
    "embedder": lambda: tasks.TextEmbedder(tiny.make_bert()),
    "few_shot": lambda: tasks.FewShotClassifier(made("embedder"), ["x", "y"]),
    "nli": lambda: tasks.TextClassifier(tiny.make_bert(), _NLI),
    "zero_shot": lambda: tasks.ZeroShotClassifier(made("nli").pretrained),
}


@functools.cache
def made(name):
    """Return the task of a case, or of `_MAKE`."""
    return create(name) if name in CASES else _MAKE[name]()


def again(task, **arguments):
    """Create a task of the same class from its trained model."""
    return type(task)(task.pretrained, **arguments)


def new(name, *names, **arguments):
    """Create a task from an encoder."""
    return getattr(tasks, name)(tiny.make_bert(), *names, **arguments)


def _headless():
    return tiny.make_bert().with_parts(["pooler"])


def zero_shot(*labels, **arguments):
    """Create a `ZeroShotClassifier` from a classifier with these labels."""
    model = new("TextClassifier", [*labels]).pretrained
    return tasks.ZeroShotClassifier(model, **arguments)


_REFUSED = {
    "classifier": [
        (lambda x: x.fit(["a"], ["cat"]), "x, y.*'cat' at index 0"),
        (lambda x: again(x, labels=["x", "z"]), "labels x, y.*new_head=True"),
        (lambda x: again(x, rename_labels={"z": "a"}), r"\(x, y\).*'z'"),
        (lambda x: again(x, rename_labels={"x": "y"}), "two different names"),
        (lambda x: again(x, rename_labels=np.array(["x"])), "must be a dict"),
        (lambda x: again(x, new_head=np.array([1, 2])), "True or False"),
        (lambda x: again(x, multi_label="yes"), "`multi_label` must be True"),
        (lambda x: again(x, seq_length=np.array([1, 2])), "from 1.*array"),
        (lambda x: again(x, windows="max", stride="4"), "`stride` must be an"),
        (lambda x: again(x, truncation=["head"]), "`truncation` must be one"),
        (lambda x: again(x, truncation=""), "`truncation` must be one of .*''"),
        (lambda x: x.preprocess(keras.Input((), dtype="string")), "text_model"),
        (lambda x: occlusion(x, 7), "must be str. Received: 7"),
        (lambda x: tasks.FewShotClassifier(x.pretrained, ["x"]), "TextEmbed"),
    ],
    "several": [(lambda x: x.fit(["a"], [["q"]]), "list of labels.*'q'.*0")],
    "windows": [
        (lambda x: x.fit([_PAIR], [1]), "windows='max', and pairs"),
        (lambda x: x.predict([_PAIR]), "windows='max', and pairs"),
        (tasks.text_model, "windows='max'"),
    ],
    "chooser": [
        (lambda x: x.fit([("a", ["b"])], [0]), "two or more choices"),
        (lambda x: x.fit([("a", "bc")], [0]), r"\('a', 'bc'\) at index 0"),
        (lambda x: x.fit([("a", ["b", "c"], 0)], [0]), "must be a pair of"),
        (lambda x: x.predict([("a", [*"bc"]), ("a", [*"bcd"])]), "3 choices"),
        (lambda x: x.predict([("a", ["b", None])]), "index 0: .*at index 2"),
        (lambda x: x.fit([("a", ["b", "c"])], [2]), "0 to 1. Received: 2 at"),
        (lambda x: x.fit([("a", ["b", "c"])], [True]), "Received: True at"),
        (lambda x: x.fit([_READ]), "Received: None at a.csv, line 3"),
    ],
    "ranker": [
        (lambda x: x.fit([("a", ["b"])], [[0, 1]]), "1 documents and 2 labels"),
        (lambda x: x.fit([("a", ["b"])], [1]), "`labels` must be a list"),
        (lambda x: x.fit([("a", [])], [[]]), "at index 0: .* 0 documents"),
        (lambda x: x.fit([("a", ["b", 3])], [[0, 1]]), "must be str. Rec.*: 3"),
        (lambda x: x.fit(["a"], [1]), "pairs of a query .*'a' at index 0"),
        (lambda x: x.fit([_PAIR], [np.nan]), "finite number. Received: nan"),
        (lambda x: x.fit([_PAIR], [2.0]), "from 0 to 1 .*Received: 2 at"),
        (lambda x: x.predict([("a", ["b"])]), "`texts` must be str"),
        (lambda x: x.rank("a", "documents"), "`documents` must be a list"),
        (lambda x: x.rank("a", ["b"], 0), "`top_k` must be"),
        (lambda x: x.fit([_PAIR], [1], loss=_COSENT), "loss on scores .*loss="),
        (lambda x: x.fit([_PAIR], [1], loss=_LIST_NET), "ListNetLoss compares"),
    ],
    "tagger": [
        (lambda x: x.fit([["a"]]), "`labels` must be given: the tags"),
        (lambda x: x.fit([["a"]], [["I-Y"]]), "one of O, B-X.*sentence 0"),
        (lambda x: x.fit([["a", "b"]], [["O", "X"]]), "sentence 0, word 1"),
        (lambda x: x.fit([["\ud800"]], [["O"]]), "surrogate pair.*index 0"),
        (lambda x: x.fit([[], []], [[], []]), "2 sentences, 0 words"),
        (lambda x: x.fit([{"tokens": ["a"]}], [["O"]]), "column.*tokens"),
        (lambda _: new("TokenClassifier", ["O", "S-X"]), "B-TYPE.*'S-X'"),
        (lambda _: new("TokenClassifier", [*"OA", "B-X"]), "B-TYPE.*'A'"),
        (lambda _: new("TokenClassifier", [*"ab"], 2), "seq_length=2"),
    ],
    "answerer": [
        (lambda x: x.fit(3), "Received: 3"),
        (lambda x: x.predict(["dog"]), "'dog' at index 0"),
    ],
    "features": [
        (lambda x: x.fit(["a"], [0], num_frozen_layers=1), "frozen_layers=1"),
        (lambda x: x.fit(["a"], [0], layer_decay=0.9), "layer_decay=0.9"),
        (lambda x: x.smaller(1), "cannot be made smaller.*num_layers=1"),
        (lambda x: again(x, cache_dir=__file__), "refused_arguments_test"),
    ],
    "fill_mask": [
        (lambda x: x("the [mask]"), r"0 in the text, 0 within.*'the \[mask\]'"),
        (lambda x: x(["the [MASK]", "the dog"]), "at index 1: 'the dog'"),
        (lambda x: x("a dog sees and eats [MASK]"), "6 .*1 in the text, 0 wi"),
        (lambda x: x("the [MASK] sees and eats [MASK]"), "2 in .*, 1 within"),
        (lambda _: tasks.FillMask(_headless()), "'text_embedder'.*'feat"),
        (tasks.text_model, "fine-tuned.*Received: FillMask"),
    ],
    "embedder": [
        (lambda x: again(x, pooling="sum"), "cls, max, mean, .*last4. .*'sum'"),
        (lambda x: again(x, pooling="last4"), "4 layers. .*_hidden_layers=1"),
        (lambda x: again(x, batch_tokens=0), "batch_tokens=0"),
        (lambda x: again(x, seq_length=13), "seq_length=13"),
        (lambda x: x.fit([_PAIR], teacher=x), "Embedder.fit` has no .*teacher"),
    ],
    "few_shot": [
        (lambda x: x.fit(["dog"], ["x"]), "two or more different labels"),
        (lambda x: x.fit(["dog"], ["z"]), "one of x, y.*'z' at index 0"),
        (lambda x: x.fit(["a", 3], ["x", "y"]), "must be str. Received: 3"),
        (lambda x: x.fit(["a"], ["x"], num_iterations=0), "`num_iterations`"),
    ],
    "zero_shot": [
        (lambda x: x.predict(["a"], []), r"two or more.*labels=\[\]"),
        (lambda x: x.predict(["a"], ["b", "b"]), "two or more distinct"),
        (lambda x: x.predict(["a"], ["b", None]), "`labels` must be .*None"),
        (lambda x: x.predict(["a"], "dog"), "must be a list. Received: 'dog'"),
        (lambda _: zero_shot("x", "y"), r"'entailment' and.*=\['x', 'y'\]"),
        (lambda _: zero_shot("entailment", "x", "y"), "'entailment' and"),
        (lambda _: zero_shot(*_NLI, hypothesis_template="x"), "once.*='x'"),
        (lambda _: zero_shot(*_NLI, hypothesis_template="{} }"), "once"),
    ],
}


@pytest.mark.parametrize(
    ("name", "call", "words"),
    [(name, *row) for name, rows in _REFUSED.items() for row in rows],
)
def test_what_a_task_refuses_is_named(name, call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call(made(name))


@pytest.mark.parametrize("policy", ["float16", "float64"])
def test_a_policy_of_other_weights_is_one_short_error(policy):
    keras.config.set_dtype_policy(policy)
    with pytest.raises(ValueError, match=f"float32. Set .* Received: {policy}"):
        tiny.make_bert()


@pytest.mark.parametrize(
    ("task", "labels", "predictions", "words"),
    [
        ("mrpc", ["0"], [1], "`predictions` of mrpc .*'0', '1'.*: 1 at i"),
        ("rte", ["neutral"], ["entailment"], "`labels` of rte .*'neutral' at"),
        ("snli", ["0"], ["0"], "Received: task='snli'"),
        ("stsb", [1.0, 2.0], [1.0, "five"], "`predictions` must be.*five"),
        ("stsb", [1.0], [math.nan], "`predictions` must be.*nan"),
        ("stsb", [1.0], 1.0, "`predictions` must be.*Received: 1.0"),
        ("stsb", ["1"], ["1", "0"], r"shape \(2,\), labels of shape \(1,\)"),
        ("cola", [], [], r"of shape \(0,\), labels of shape \(0,"),
    ],
)
def test_scores_that_cannot_be_are_refused(task, labels, predictions, words):
    with pytest.raises(ValueError, match=words):
        glue_scores(task, labels, predictions)
