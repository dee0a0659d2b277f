import json

import numpy as np
import pytest

from keras_bert.tasks.answers.question_rows import labelled_questions
from keras_bert.tasks.answers.question_rows import question_rows
from keras_bert.tasks.answers.question_rows import unlabelled_questions
from keras_bert.tasks.fine_tuning import encoded
from keras_bert.tasks.labelled.squad import SquadQuestion
from tests import tiny

_LONG = "the dogs eat the Cat. the bird sees a fish"
_PAIRS = [
    ("who eats", "a dog"),
    ("who eats meat", _LONG),
    ("", _LONG),
    ("eats", ""),
]


def _rows(preprocess, pairs=_PAIRS):
    return question_rows(preprocess, unlabelled_questions(pairs))


def test_each_window_is_laid_out_as_published(preprocess, words):
    asked = _rows(preprocess)
    inputs = asked.rows.inputs(np.arange(len(asked.rows)))
    assert [words(ids) for ids in inputs["input_ids"]] == [
        "[CLS] [UNK] eats [SEP] a dog [SEP]",
        "[CLS] [UNK] eats [SEP] the dog ##s [UNK] the [SEP]",
        "[CLS] [UNK] eats [SEP] [UNK] the cat . the [SEP]",
        "[CLS] [UNK] eats [SEP] . the bird sees a [SEP]",
        "[CLS] [UNK] eats [SEP] sees a fish [SEP]",
        "[CLS] [SEP] the dog ##s [UNK] the cat . [SEP]",
        "[CLS] [SEP] [UNK] the cat . the bird sees [SEP]",
        "[CLS] [SEP] . the bird sees a fish [SEP]",
        "[CLS] eats [SEP] [SEP]",
    ]
    lengths = asked.rows.lengths[:, np.newaxis]
    mask = np.arange(10) < lengths
    np.testing.assert_array_equal(inputs["input_mask"], mask)
    starts = np.array([4, 4, 4, 4, 4, 2, 2, 2, 3])[:, np.newaxis]
    np.testing.assert_array_equal(
        inputs["segment_ids"], mask & (np.arange(10) >= starts)
    )


def test_a_part_has_the_rows_of_its_questions(preprocess):
    asked = _rows(preprocess)
    part = asked.part([2, 1])
    assert part.decode_context == [
        asked.decode_context[2],
        asked.decode_context[1],
    ]
    assert part.counts.tolist() == [3, 4]
    np.testing.assert_array_equal(
        part.rows.inputs(np.arange(7))["input_ids"],
        asked.rows.inputs([5, 6, 7, 1, 2, 3, 4])["input_ids"],
    )


@pytest.mark.parametrize("number", [1, 2, 3, 1000])
def test_how_many_go_together_changes_nothing(preprocess, monkeypatch, number):
    expected = _rows(preprocess, 3 * _PAIRS)
    monkeypatch.setattr(encoded, "_TEXTS_AT_ONCE", number)
    asked = _rows(preprocess, 3 * _PAIRS)
    np.testing.assert_array_equal(asked.rows.lengths, expected.rows.lengths)
    for name, values in expected.rows.values.items():
        np.testing.assert_array_equal(asked.rows.values[name], values)


def test_a_context_of_many_questions_is_tokenized_once(preprocess, monkeypatch):
    texts = []
    tokenizer = preprocess.tokenizer
    tokenize = tokenizer.tokenize_with_offsets
    monkeypatch.setattr(
        tokenizer,
        "tokenize_with_offsets",
        lambda x: (texts.extend(x), tokenize(x))[1],
    )
    questions = [
        SquadQuestion(f"{n}", "who?", context, (), False, None)
        for n, context in enumerate(["a dog", "a cat", "a dog"])
    ]
    question_rows(preprocess, questions)
    assert texts == [b"a dog", b"a cat"]


_QUESTION = SquadQuestion("q", "who?", "a dog", (("dog", 2),), False, (2, 5))
_OBJECT = tiny.squad(("a dog", {"q": ("who?", "dog")}))


def test_a_path_an_object_and_a_list_are_the_same_questions(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps(_OBJECT))
    for given in (path, str(path), _OBJECT, [_QUESTION], (_QUESTION,)):
        assert labelled_questions(given) == [_QUESTION]


_ROW = {"id": "q", "question": "who?", "context": "a dog"}
_ANSWERS = {"text": ["dog"], "answer_start": [2]}


@pytest.mark.parametrize(
    "rows",
    [
        [{**_ROW, "title": "A", "answers": _ANSWERS}],
        [{**_ROW, "answers": [{"text": "dog", "answer_start": 2}]}],
        {**{key: [x] for key, x in _ROW.items()}, "answers": [_ANSWERS]},
    ],
    ids=range(3),
)
def test_rows_and_columns_are_questions(rows):
    assert labelled_questions(rows) == [_QUESTION]


def test_rows_of_question_data_sets_are_questions():
    without_answer = {"text": np.array([]), "answer_start": np.array([], int)}
    rows = [
        {"question": "who?", "context": "a dog", "answers": without_answer},
        {"question": "who?", "context": "a dog", "answers": _ANSWERS},
    ]
    first, second = labelled_questions(iter(rows))
    assert (first.id, first.is_impossible) == ("0", True)
    assert (second.id, second.answers) == ("1", (("dog", 2),))
    with pytest.raises(ValueError, match="paragraph 1.*`answers`.*None"):
        labelled_questions([_ROW])
    answers = {"text": ["dog", "a"], "answer_start": [2]}
    with pytest.raises(ValueError, match="answer 2: `answer_start` .*None"):
        labelled_questions([{**_ROW, "answers": answers}])


def test_pairs_of_any_container_have_their_indices_as_ids():
    pairs = [("who?", "a dog"), ("", "")]
    expected = [
        SquadQuestion(f"{n}", *pair, (), False, None)
        for n, pair in enumerate(pairs)
    ]
    for given in (
        pairs,
        np.array(pairs),
        (*map(np.array, zip(*pairs)),),
        dict(zip(("question", "context"), zip(*pairs))),
    ):
        assert unlabelled_questions(given) == expected


@pytest.mark.parametrize(
    "read, given, message",
    [
        (labelled_questions, [_QUESTION, ("who?", "a")], "'a'.* at index 1"),
        (labelled_questions, [], r"Received: .*\[\]"),
        (labelled_questions, 3, "Received: 3"),
        (labelled_questions, [_QUESTION] * 2, "'q' again at index 1"),
        (labelled_questions, {"data": []}, "`questions` must contain at least"),
        (unlabelled_questions, ["ab"], "'ab' at index 0"),
        (unlabelled_questions, [("a", "b"), ("a",)], r"\('a',\) at index 1"),
        (unlabelled_questions, [("a", "b"), ("a", None)], "None at index 1"),
        (
            unlabelled_questions,
            [{"text": "a"}],
            "'question' and 'context'.*'text'",
        ),
    ],
)
def test_what_is_no_question_is_named(read, given, message):
    with pytest.raises(ValueError, match=message):
        read(given)
