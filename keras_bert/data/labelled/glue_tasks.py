"""The tasks of GLUE: their files, labels, metrics and submissions.

References:
    https://arxiv.org/abs/1804.07461 and https://gluebenchmark.com
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class GlueFile:
    """A file of a task, as it is published.

    Attributes:
        name: str.
        texts: dict from "text" and, of a pair, "text_pair" to a column: its
            name; or, where there is no header, its position from 0.
        label: str or int, the column of labels; None if they are hidden.
        has_broken_rows: bool, some rows are published in pieces.
    """

    name: str
    texts: dict
    label: str | int | None = None
    has_broken_rows: bool = False


@dataclasses.dataclass(frozen=True)
class GlueTask:
    """A task.

    Attributes:
        name: str, as TensorFlow Datasets spells it.
        files: dict from a split to the tuple of the files that it may be in,
            the first one first.
        label_names: tuple of str, in the order of ids; empty for a regression.
        metrics: tuple of str, as of `glue_scores`.
        submissions: dict from a split to the name of its file of predictions.
    """

    name: str
    files: dict
    label_names: tuple
    metrics: tuple
    submissions: dict

    @property
    def is_regression(self):
        return not self.label_names


def glue_task(name):
    """The task of a name.

    Raises:
        ValueError: there is none.
    """
    if name not in GLUE_TASKS:
        raise ValueError(
            f"A task of GLUE must be one of {', '.join(GLUE_TASKS)}. "
            f"Received: {name!r}."
        )
    return GLUE_TASKS[name]


def _files(texts, label):
    """The files of most tasks: with a header, and with tests unlabelled."""
    return {
        "train": (GlueFile("train.tsv", texts, label),),
        "dev": (GlueFile("dev.tsv", texts, label),),
        "test": (GlueFile("test.tsv", texts),),
    }


_BINARY = ("0", "1")
_ENTAILMENT = ("entailment", "not_entailment")
_INFERENCE = ("contradiction", "entailment", "neutral")
_ACCURACY = ("accuracy",)
_ACCURACY_AND_F1 = ("accuracy", "f1")

_SENTENCE = {"text": "sentence"}
_SENTENCES = {"text": "sentence1", "text_pair": "sentence2"}
_QUESTIONS = {"text": "question1", "text_pair": "question2"}
_QUESTION = {"text": "question", "text_pair": "sentence"}
_STRINGS = {"text": "#1 String", "text_pair": "#2 String"}

_COLA_FILES = {
    "train": (GlueFile("train.tsv", {"text": 3}, 1),),
    "dev": (GlueFile("dev.tsv", {"text": 3}, 1),),
    "test": (GlueFile("test.tsv", _SENTENCE),),
}
# The original corpus has no dev split, and its tests are labelled.
_MRPC_FILES = {
    "train": (
        GlueFile("train.tsv", _STRINGS, "Quality"),
        GlueFile("msr_paraphrase_train.txt", _STRINGS, "Quality"),
    ),
    "dev": (GlueFile("dev.tsv", _STRINGS, "Quality"),),
    "test": (
        GlueFile("test.tsv", _STRINGS),
        GlueFile("msr_paraphrase_test.txt", _STRINGS, "Quality"),
    ),
}
_QQP_FILES = {
    "train": (GlueFile("train.tsv", _QUESTIONS, "is_duplicate", True),),
    "dev": (GlueFile("dev.tsv", _QUESTIONS, "is_duplicate", True),),
    "test": (GlueFile("test.tsv", _QUESTIONS),),
}
_MNLI_FILES = {
    "train": (GlueFile("train.tsv", _SENTENCES, "gold_label"),),
    "dev_matched": (GlueFile("dev_matched.tsv", _SENTENCES, "gold_label"),),
    "dev_mismatched": (
        GlueFile("dev_mismatched.tsv", _SENTENCES, "gold_label"),
    ),
    "test_matched": (GlueFile("test_matched.tsv", _SENTENCES),),
    "test_mismatched": (GlueFile("test_mismatched.tsv", _SENTENCES),),
}
_MNLI_SUBMISSIONS = {
    "test_matched": "MNLI-m.tsv",
    "test_mismatched": "MNLI-mm.tsv",
}
_AX_FILES = {
    "test": (
        GlueFile("diagnostic.tsv", _SENTENCES),
        GlueFile("AX.tsv", _SENTENCES),
    )
}

GLUE_TASKS = {
    task.name: task
    for task in (
        GlueTask(
            "cola",
            _COLA_FILES,
            _BINARY,
            ("matthews_correlation",),
            {"test": "CoLA.tsv"},
        ),
        GlueTask(
            "sst2",
            _files(_SENTENCE, "label"),
            _BINARY,
            _ACCURACY,
            {"test": "SST-2.tsv"},
        ),
        GlueTask(
            "mrpc",
            _MRPC_FILES,
            _BINARY,
            _ACCURACY_AND_F1,
            {"test": "MRPC.tsv"},
        ),
        GlueTask(
            "stsb",
            _files(_SENTENCES, "score"),
            (),
            ("pearson", "spearman", "mean"),
            {"test": "STS-B.tsv"},
        ),
        GlueTask(
            "qqp",
            _QQP_FILES,
            _BINARY,
            _ACCURACY_AND_F1,
            {"test": "QQP.tsv"},
        ),
        GlueTask("mnli", _MNLI_FILES, _INFERENCE, _ACCURACY, _MNLI_SUBMISSIONS),
        GlueTask(
            "qnli",
            _files(_QUESTION, "label"),
            _ENTAILMENT,
            _ACCURACY,
            {"test": "QNLI.tsv"},
        ),
        GlueTask(
            "rte",
            _files(_SENTENCES, "label"),
            _ENTAILMENT,
            _ACCURACY,
            {"test": "RTE.tsv"},
        ),
        GlueTask(
            "wnli",
            _files(_SENTENCES, "label"),
            _BINARY,
            _ACCURACY,
            {"test": "WNLI.tsv"},
        ),
        # The diagnostic data: for a model of MNLI, tests only.
        GlueTask(
            "ax",
            _AX_FILES,
            _INFERENCE,
            ("matthews_correlation",),
            {"test": "AX.tsv"},
        ),
    )
}
