"""Arguments that the functions of question answering refuse."""

import numpy as np
import pytest

from keras_bert.tasks.inputs.answer_windows import WindowSizes
from keras_bert.tasks.inputs.question_rows import labelled_questions
from keras_bert.tasks.inputs.question_rows import unlabelled_questions
from keras_bert.tasks.outputs.answer_spans import decode_answers
from keras_bert.tasks.outputs.squad_scores import squad_scores
from keras_bert.tasks.readers.squad import SquadQuestion
from tests import tiny

_QUESTION = SquadQuestion("q", "who?", "a dog", (("dog", 2),), False, (2, 5))
_ROW = {"id": "q", "question": "who?", "context": "a dog"}
_STARTS = {"text": ["dog", "a"], "answer_start": [2]}
_FIRST = tiny.squad(("a dog", {"q": ("who?", "dog")}))
_SECOND = tiny.squad(("a dog", {"q": ("who?", "dog"), "n": ("who?", "")}))


def _decode(logit=0.0, **options):
    windows = WindowSizes(8, 3, 1).windows(1, 7)
    logits = np.zeros((2, len(windows.starts), 8))
    logits[1, 1, 5] = logit
    starts = 2 * np.arange(7)
    context = "a b c d e f g"
    decode_answers(context, starts, starts + 1, windows, *logits, **options)


def _score(predictions, odds=None, data_set=_SECOND):
    squad_scores(data_set, predictions, odds)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WindowSizes(seq_length=67), "seq_length=67, max_query"),
        (lambda: WindowSizes(doc_stride=0), "`doc_stride` must.*doc_stride=0"),
        (lambda: WindowSizes(max_query_length=-1), "max_query_length=-1"),
        (lambda: WindowSizes(num_special=-1), "num_special=-1"),
        (lambda: _decode(n_best_size=0), "n_best_size=0"),
        (lambda: _decode(max_answer_length=-2), "max_answer_length=-2"),
        (lambda: _decode(np.nan), "nan in window 1 at position 5"),
        (lambda: _decode(np.inf), "inf in window 1 at position 5"),
        (lambda: _score({}, data_set={}), "`data_set` must have `data`"),
        (lambda: _score(["cat"]), r"ids to texts\. Received: \['cat'\]"),
        (lambda: _score({"q": None}), r"ids to texts.*: \{'q': None\}"),
        (
            lambda: _score({"q": "dog"}, {"q": 1.0}, _FIRST),
            r"must be None.*\{'q': 1\.0\}",
        ),
        (lambda: _score({"z": "cat"}), "'z': 'cat'.*with none of 2 ids"),
        (lambda: _score({"q": "dog"}, [0.5]), r"finite number.*\[0\.5\]"),
        (lambda: _score({"q": "dog"}, {"q": "1"}), "finite number.*'1'"),
        (lambda: _score({"q": "x"}, {"n": 0.5}), "finite number.*'n': 0.5"),
        (lambda: _score({"q": "x"}, {"q": np.nan}), "finite number.*nan"),
        (
            lambda: labelled_questions([_QUESTION, ("who?", "a")]),
            "'a'.* at index 1",
        ),
        (lambda: labelled_questions([]), r"Received: .*\[\]"),
        (lambda: labelled_questions(3), "Received: 3"),
        (lambda: labelled_questions([_QUESTION] * 2), "'q' again at index 1"),
        (lambda: labelled_questions({"data": []}), "`questions` must contain"),
        (lambda: labelled_questions([_ROW]), "paragraph 1.*`answers`.*None"),
        (
            lambda: labelled_questions([{**_ROW, "answers": _STARTS}]),
            "answer 2: `answer_start` .*None",
        ),
        (
            lambda: unlabelled_questions([("a", "b"), ("a",)]),
            r"\('a',\) at index 1",
        ),
        (
            lambda: unlabelled_questions([{"text": "a"}]),
            "'question' and 'context'.*'text'",
        ),
    ],
)
def test_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()
