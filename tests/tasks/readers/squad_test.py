import copy
import json

import hypothesis
import pytest
from hypothesis import strategies

from keras_bert.tasks.readers.squad import SquadQuestion
from keras_bert.tasks.readers.squad import find_answer
from keras_bert.tasks.readers.squad import has_impossible
from keras_bert.tasks.readers.squad import read_squad
from keras_bert.tasks.readers.squad import squad_questions
from tests import tiny

_CONTEXT = "Zoë fed the cat. The cat slept."
_VALUES = tiny.squad(
    (
        _CONTEXT,
        {
            "q1": ("Who fed the cat?", "Zoë"),
            "q2": ("What slept?", ("The cat", 17)),
        },
    )
)
_QUESTIONS = _VALUES["data"][0]["paragraphs"][0]["qas"]
_QUESTIONS[0]["answers"].append({"text": "Zoë fed", "answer_start": 0})
_NOT_GIVEN = object()


def _changed(path, value):
    """Return the dataset with one value replaced or removed."""
    values = copy.deepcopy(_VALUES)
    *parents, last = path
    place = values
    for key in parents:
        place = place[key]
    if value is _NOT_GIVEN:
        del place[last]
    else:
        place[last] = value
    return values


_PARAGRAPH = ("data", 0, "paragraphs", 0)
_QUESTION = (*_PARAGRAPH, "qas", 1)
_ANSWER = (*_QUESTION, "answers", 0)


def test_questions_keep_their_order_and_all_answers():
    first, second = squad_questions(_VALUES, "data")
    answers = (("Zoë", 0), ("Zoë fed", 0))
    assert first == SquadQuestion(
        "q1", "Who fed the cat?", _CONTEXT, answers, False, (0, 4)
    )
    # The ë before it has two bytes.
    assert second.answers == (("The cat", 17),)
    assert second.answer_span == (18, 25)
    assert first.is_trainable and second.is_trainable


@pytest.mark.parametrize("said", [None, True, False])
def test_a_question_without_answers_is_impossible(said):
    values = _changed((*_QUESTION, "answers"), [])
    entry = values["data"][0]["paragraphs"][0]["qas"][1]
    entry["is_impossible"] = said
    if said is None:
        del entry["is_impossible"]
    questions = squad_questions(values, "data")
    assert has_impossible(questions)
    assert not has_impossible(questions[:1])
    assert questions[1].is_impossible and questions[1].is_trainable
    assert questions[1].answer_span is None


def test_an_answer_elsewhere_is_not_learned():
    values = _changed((*_ANSWER, "answer_start"), 3)
    _, second = squad_questions(values, "data")
    assert not (second.is_trainable or second.is_impossible)
    assert second.answers == (("The cat", 3),)


def test_the_first_answer_in_its_place_is_learned():
    path = (*_PARAGRAPH, "qas", 0, "answers", 0, "answer_start")
    first, _ = squad_questions(_changed(path, 12), "data")
    assert first.answer_span == (0, 8)


def test_other_keys_are_let_through():
    values = _changed((*_QUESTION, "plausible_answers"), [{}])
    del values["data"][0]["title"]
    expected = squad_questions(_VALUES, "data")
    assert squad_questions(values, "data") == expected


_PLACE = r"dev\.json, article 1 \('Title'\), paragraph 1"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("data",), _NOT_GIVEN, r"dev\.json must have `data`, a list"),
        ((*_PARAGRAPH, "context"), _NOT_GIVEN, f"{_PLACE} must have `context`"),
        ((*_QUESTION, "question"), _NOT_GIVEN, r"2 \('q2'\).*'id', 'answers'"),
        ((*_ANSWER, "text"), _NOT_GIVEN, r"'q2'\), answer 1 must have `text`"),
        (("data",), {}, r"dev\.json: `data` must be a list.*: \{\}"),
        (("data", 0), 7, r"article 1 must be an object\. Received: 7"),
        ((*_QUESTION, "id"), 5.0, "2: `id` must be a string.*: 5.0"),
        ((*_QUESTION, "is_impossible"), 2, "must be true or false.*: 2"),
        ((*_ANSWER, "answer_start"), 17.5, "an integer.*: 17.5"),
        ((*_ANSWER, "answer_start"), True, "an integer.*: True"),
        ((*_PARAGRAPH, "context"), " \n", r"'q1'\): `context`.*' \\n'"),
        ((*_QUESTION, "question"), "a\ud83d?", r"'\\ud83d', at character 1"),
        ((*_QUESTION, "id"), "q1", "'q1' again"),
        ((*_QUESTION, "is_impossible"), True, "'q2'.*: 1 .* 'The cat'"),
        ((*_PARAGRAPH, "qas"), [], "Received: 1 article"),
    ],
)
def test_a_fault_is_named_with_its_place(path, value, message):
    with pytest.raises(ValueError, match=message):
        squad_questions(_changed(path, value), "dev.json")


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ((*_QUESTION, "id"), 262, "262"),
        ((*_QUESTION, "is_impossible"), 0, "q2"),
        ((*_ANSWER, "answer_start"), 17.0, "q2"),
    ],
)
def test_numbers_of_other_data_sets_are_read(path, value, expected):
    _, second = squad_questions(_changed(path, value), "data")
    assert second.id == expected
    assert second.answers == (("The cat", 17),)
    assert second.is_impossible is False


@pytest.fixture
def read(write):
    """Write and read a file."""
    return lambda text: read_squad(write("dev.json", text))


def test_a_file_holds_its_questions(read, caplog):
    text = json.dumps(_VALUES, ensure_ascii=False)
    assert read(f"\ufeff{text}") == squad_questions(_VALUES, "data")
    assert not caplog.records


def test_answers_that_are_elsewhere_are_counted_and_named(read, caplog):
    values = copy.deepcopy(_VALUES)
    lost = [{**_QUESTIONS[1], "id": f"lost{number}"} for number in range(7)]
    for question in lost:
        question["answers"] = [{"text": "dog", "answer_start": 21}]
    values["data"][0]["paragraphs"][0]["qas"] += lost
    questions = read(json.dumps(values))
    assert [q.is_trainable for q in questions] == [True] * 2 + [False] * 7
    assert "dev.json: 7 question(s)" in caplog.text
    assert "lost0, lost1, lost2, lost3, lost4." in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(_VALUES)[:99], r"dev\.json: not a JSON file"),
        ("[1]", r"dev\.json: must hold a JSON object\. Received: list"),
        ("{}", r"dev\.json must have `data`"),
    ],
)
def test_what_is_no_whole_json_is_refused_by_name(read, text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


_CONTEXTS = strategies.text(
    strategies.sampled_from("ab \n\u00a0é中𝒙́."), min_size=1, max_size=30
)


@hypothesis.settings(max_examples=100, deadline=None, derandomize=True)
@hypothesis.given(context=_CONTEXTS, data=strategies.data())
def test_an_answer_at_its_offset_is_found_exactly(context, data):
    places = strategies.integers(0, len(context))
    start, end = sorted((data.draw(places), data.draw(places)))
    text = context[start:end]
    found = find_answer(context, text, start)
    if not text.strip():
        assert found is None
    else:
        assert context.encode()[slice(*found)].decode() == text
        before = context.encode()[: found[0]].decode()
        assert before == context[:start]


_HOUSE = "The (old) house."


@pytest.mark.parametrize(
    ("context", "text", "start", "expected"),
    [
        # The offset can be wrong within a word and the space after it.
        (_HOUSE, "old", 4, (5, 8)),
        (_HOUSE, "old", 6, (5, 8)),
        (_HOUSE, "old", 9, (5, 8)),
        (_HOUSE, "house", 9, (10, 15)),
        (_HOUSE, "old", 10, None),
        (_HOUSE, "old", 0, None),
        # These three characters end just before the next word.
        (_HOUSE, "hou", 7, None),
        # White space matches other white space.
        ("an old\n \thouse", "old house", 3, (3, 14)),
        ("an old\n \thouse", " old house ", 3, (3, 14)),
        # Special characters of regular expressions are literal.
        ("a [b+] c", "b+", 2, (3, 5)),
        ("a bb c", "b+", 2, None),
        *(("abc", "a", start, None) for start in (-1, 3, 10**30)),
        ("abc", "", 0, None),
        ("a b", " ", 1, None),
    ],
)
def test_an_answer_is_found_near_its_offset(context, text, start, expected):
    assert find_answer(context, text, start) == expected
