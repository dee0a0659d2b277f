import json

import numpy as np

from keras_bert.tasks.inputs.question_rows import labelled_questions
from keras_bert.tasks.inputs.question_rows import question_rows
from keras_bert.tasks.inputs.question_rows import unlabelled_questions
from keras_bert.tasks.readers.squad import SquadQuestion
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
    row = {"id": "q", "question": "who?", "context": "a dog"}
    answers = {"text": ["dog"], "answer_start": [2]}
    columns = {key: [value] for key, value in row.items()}
    for given in (
        path,
        str(path),
        _OBJECT,
        (_QUESTION,),
        [{**row, "title": "A", "answers": answers}],
        [{**row, "answers": [{"text": "dog", "answer_start": 2}]}],
        {**columns, "answers": [answers]},
    ):
        assert labelled_questions(given) == [_QUESTION]


def test_rows_without_ids_have_their_indices_and_may_lack_answers():
    row = {"question": "who?", "context": "a dog"}
    without_answer = {"text": np.array([]), "answer_start": np.array([], int)}
    answers = {"text": ["dog"], "answer_start": [2]}
    rows = [{**row, "answers": x} for x in (without_answer, answers)]
    first, second = labelled_questions(iter(rows))
    assert (first.id, first.is_impossible) == ("0", True)
    assert (second.id, second.answers) == ("1", (("dog", 2),))


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
