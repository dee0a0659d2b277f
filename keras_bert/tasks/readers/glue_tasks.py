"""Files, labels and metrics of the GLUE tasks.

References:
    https://arxiv.org/abs/1804.07461 and https://gluebenchmark.com
"""

import dataclasses

from keras_bert import checks


@dataclasses.dataclass(frozen=True)
class GlueFile:
    """Published file for a GLUE task.

    Attributes:
        name: str.
        texts: dict mapping "text" and (for pairs) "text_pair" to a column
            name, or to a column index if the file has no header.
        label: str or int, label column; None if the labels are hidden.
        has_broken_rows: bool, whether some rows are broken across lines.
    """

    name: str
    texts: dict
    label: str | int | None = None
    has_broken_rows: bool = False


@dataclasses.dataclass(frozen=True)
class GlueTask:
    """GLUE task: files, labels and metrics.

    Attributes:
        name: str, the name in TensorFlow Datasets.
        files: dict mapping each split to a tuple of alternative files, in
            order of preference.
        label_names: tuple of str, in the order of ids; empty for regression.
        metrics: tuple of str, keys of `glue_scores`.
    """

    name: str
    files: dict
    label_names: tuple
    metrics: tuple

    @property
    def is_regression(self):
        return not self.label_names


def glue_task(name):
    """Return the GLUE task with the given name.

    Raises:
        ValueError: the name is unknown.
    """
    checks.one_of(GLUE_TASKS, task=name)
    return GLUE_TASKS[name]


def _files(texts, label, broken=False, splits=("train", "dev", "test")):
    """Return the files of a task with a header and without test labels."""
    return {
        split: (
            GlueFile(f"{split}.tsv", texts)
            if split.startswith("test")
            else GlueFile(f"{split}.tsv", texts, label, broken),
        )
        for split in splits
    }


_BINARY = ("0", "1")
_ENTAILMENT = ("entailment", "not_entailment")
_INFERENCE = ("contradiction", "entailment", "neutral")
_ACCURACY = ("accuracy",)
_ACCURACY_AND_F1 = ("accuracy", "f1")
_MATTHEWS = ("matthews_correlation",)
_CORRELATIONS = ("pearson", "spearman", "mean")

_SENTENCE = {"text": "sentence"}
_SENTENCES = {"text": "sentence1", "text_pair": "sentence2"}
_QUESTIONS = {"text": "question1", "text_pair": "question2"}
_QUESTION = {"text": "question", "text_pair": "sentence"}
_STRINGS = {"text": "#1 String", "text_pair": "#2 String"}

_COLA_FILES = {
    **_files({"text": 3}, 1),
    "test": (GlueFile("test.tsv", _SENTENCE),),
}
# The original corpus has no dev split; its test split has labels.
_MRPC_FILES = _files(_STRINGS, "Quality")
for _split in ("train", "test"):
    _name = f"msr_paraphrase_{_split}.txt"
    _MRPC_FILES[_split] += (GlueFile(_name, _STRINGS, "Quality"),)
_MNLI_SPLITS = (
    "train",
    "dev_matched",
    "dev_mismatched",
    "test_matched",
    "test_mismatched",
)
_MNLI_FILES = _files(_SENTENCES, "gold_label", splits=_MNLI_SPLITS)
_AX_NAMES = ("diagnostic.tsv", "AX.tsv")
_AX_FILES = {"test": tuple(GlueFile(name, _SENTENCES) for name in _AX_NAMES)}

# The diagnostic dataset "ax" has only a test split, for MNLI models.
_TASKS = (
    ("cola", _COLA_FILES, _BINARY, _MATTHEWS),
    ("sst2", _files(_SENTENCE, "label"), _BINARY, _ACCURACY),
    ("mrpc", _MRPC_FILES, _BINARY, _ACCURACY_AND_F1),
    ("stsb", _files(_SENTENCES, "score"), (), _CORRELATIONS),
    (
        "qqp",
        _files(_QUESTIONS, "is_duplicate", broken=True),
        _BINARY,
        _ACCURACY_AND_F1,
    ),
    ("mnli", _MNLI_FILES, _INFERENCE, _ACCURACY),
    ("qnli", _files(_QUESTION, "label"), _ENTAILMENT, _ACCURACY),
    ("rte", _files(_SENTENCES, "label"), _ENTAILMENT, _ACCURACY),
    ("wnli", _files(_SENTENCES, "label"), _BINARY, _ACCURACY),
    ("ax", _AX_FILES, _INFERENCE, _MATTHEWS),
)


GLUE_TASKS = {name: GlueTask(name, *facts) for name, *facts in _TASKS}
