import copy
import json
import math
import os
import pathlib
import tempfile
import unittest

import hypothesis
from hypothesis import strategies

from keras_bert.data.labelled.squad import SquadQuestion
from keras_bert.data.labelled.squad import find_answer
from keras_bert.data.labelled.squad import has_impossible
from keras_bert.data.labelled.squad import read_squad
from keras_bert.data.labelled.squad import squad_questions

_DIRECTORY = os.environ.get("SQUAD_DIR", "")
_CONTEXT = "Zoë fed the cat. The cat slept."
_FIRST = {
    "id": "q1",
    "question": "Who fed the cat?",
    "answers": [
        {"text": "Zoë", "answer_start": 0},
        {"text": "Zoë fed", "answer_start": 0},
    ],
}
_SECOND = {
    "id": "q2",
    "question": "What slept?",
    "answers": [{"text": "The cat", "answer_start": 17}],
}
_VALUES = {
    "version": "1.1",
    "data": [
        {
            "title": "Cats",
            "paragraphs": [{"context": _CONTEXT, "qas": [_FIRST, _SECOND]}],
        }
    ],
}
_NOT_GIVEN = object()


def _changed(path, value):
    """The data set with one value of it replaced, or taken away."""
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


class SquadQuestionsTest(unittest.TestCase):
    def test_questions_keep_their_order_and_all_answers(self):
        first, second = squad_questions(_VALUES, "data")
        self.assertEqual(
            first,
            SquadQuestion(
                "q1",
                "Who fed the cat?",
                _CONTEXT,
                (("Zoë", 0), ("Zoë fed", 0)),
                False,
                (0, 4),
            ),
        )
        # The ë before it has two bytes.
        self.assertEqual(second.answers, (("The cat", 17),))
        self.assertEqual(second.answer_span, (18, 25))
        self.assertTrue(first.is_trainable and second.is_trainable)

    def test_data_is_of_version_1_if_all_questions_have_answers(self):
        self.assertFalse(has_impossible(squad_questions(_VALUES, "data")))
        said = _changed((*_QUESTION, "is_impossible"), False)
        self.assertFalse(has_impossible(squad_questions(said, "data")))

    def test_a_question_without_answers_is_impossible(self):
        values = _changed((*_QUESTION, "answers"), [])
        for said in (None, True, False):
            if said is not None:
                question = values["data"][0]["paragraphs"][0]["qas"][1]
                question["is_impossible"] = said
            questions = squad_questions(values, "data")
            self.assertTrue(has_impossible(questions))
            self.assertTrue(questions[1].is_impossible)
            self.assertIsNone(questions[1].answer_span)
            self.assertTrue(questions[1].is_trainable)

    def test_an_answer_elsewhere_is_not_learned(self):
        values = _changed((*_ANSWER, "answer_start"), 3)
        _, second = squad_questions(values, "data")
        self.assertFalse(second.is_trainable or second.is_impossible)
        self.assertEqual(second.answers, (("The cat", 3),))

    def test_the_first_answer_in_its_place_is_learned(self):
        path = (*_PARAGRAPH, "qas", 0, "answers", 0, "answer_start")
        first, _ = squad_questions(_changed(path, 12), "data")
        self.assertEqual(first.answer_span, (0, 8))

    def test_other_keys_are_let_through(self):
        values = _changed((*_QUESTION, "plausible_answers"), [{}])
        del values["version"], values["data"][0]["title"]
        self.assertEqual(
            squad_questions(values, "data"), squad_questions(_VALUES, "data")
        )

    def assert_refused(self, path, value, message):
        with self.assertRaisesRegex(ValueError, message):
            squad_questions(_changed(path, value), "dev.json")

    def test_what_is_missing_is_named_with_its_place(self):
        paragraph = r"dev\.json, article 1 \('Cats'\), paragraph 1"
        for path, message in (
            (("data",), r"dev\.json must have `data`, a list.*'version'"),
            (("data", 0, "paragraphs"), r"article 1 \('Cats'\) must have"),
            ((*_PARAGRAPH, "context"), f"{paragraph} must have `context`"),
            ((*_PARAGRAPH, "qas"), f"{paragraph} must have `qas`"),
            ((*_QUESTION, "id"), f"{paragraph}, question 2 must have `id`"),
            (
                (*_QUESTION, "question"),
                rf"{paragraph}, question 2 \('q2'\) must have `question`, a "
                r"string\. Received the keys: \['id', 'answers'\]",
            ),
            ((*_QUESTION, "answers"), r"question 2 \('q2'\) must have `answ"),
            ((*_ANSWER, "text"), r"\('q2'\), answer 1 must have `text`"),
            ((*_ANSWER, "answer_start"), "answer 1 must have `answer_start`"),
        ):
            self.assert_refused(path, _NOT_GIVEN, message)

    def test_values_of_the_wrong_type_are_shown_with_their_place(self):
        for path, value, message in (
            (("data",), {}, r"dev\.json: `data` must be a list.*: \{\}"),
            (("data", 0), 7, r"article 1 must be an object\. Received: 7"),
            ((*_PARAGRAPH, "context"), None, "1: `context`.* string.*: None"),
            ((*_QUESTION, "id"), 5.0, "2: `id` must be a string.*: 5.0"),
            ((*_QUESTION, "id"), True, "2: `id` must be a string.*: True"),
            ((*_QUESTION, "question"), 5, "`question` must be a string.*: 5"),
            ((*_QUESTION, "is_impossible"), 2, "must be true or false.*: 2"),
            (_ANSWER, ["Zoë"], r"answer 1 must be an object.*: \['Zoë'\]"),
            ((*_ANSWER, "answer_start"), "17", "an integer.*: '17'"),
            ((*_ANSWER, "answer_start"), 17.5, "an integer.*: 17.5"),
            ((*_ANSWER, "answer_start"), math.nan, "an integer.*: nan"),
            ((*_ANSWER, "answer_start"), True, "an integer.*: True"),
        ):
            self.assert_refused(path, value, message)
        with self.assertRaisesRegex(ValueError, r"must be an object.*: \[\]"):
            squad_questions([], "dev.json")

    def test_numbers_of_other_data_sets_are_read(self):
        for path, value, expected in (
            ((*_QUESTION, "id"), 262, "262"),
            ((*_QUESTION, "is_impossible"), 0, "q2"),
            ((*_ANSWER, "answer_start"), 17.0, "q2"),
        ):
            _, second = squad_questions(_changed(path, value), "data")
            self.assertEqual(second.id, expected)
            self.assertEqual(second.answers, (("The cat", 17),))
            self.assertIs(second.is_impossible, False)

    def test_a_context_without_text_is_refused(self):
        path = (*_PARAGRAPH, "context")
        self.assert_refused(path, " \n", r"\('q1'\): its `context`.*: ' \\n'")

    def test_half_of_a_surrogate_pair_is_refused(self):
        self.assert_refused(
            (*_QUESTION, "question"),
            "a\ud83d?",
            r"`question`.*'\\ud83d', at character 1",
        )

    def test_an_id_twice_is_refused(self):
        self.assert_refused((*_QUESTION, "id"), "q1", "'q1' once more")

    def test_an_impossible_question_with_answers_is_refused(self):
        path = (*_QUESTION, "is_impossible")
        self.assert_refused(path, True, r"'q2'.*: 1, .* first is 'The cat'")

    def test_a_data_set_without_questions_is_refused(self):
        self.assert_refused(("data",), [], r"one question\. Received: 0 art")
        self.assert_refused((*_PARAGRAPH, "qas"), [], "Received: 1 article")


class ReadSquadTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "dev.json")

    def read(self, text):
        pathlib.Path(self.path).write_text(text, encoding="utf-8")
        return read_squad(self.path)

    def test_a_file_holds_its_questions_in_either_spelling(self):
        expected = squad_questions(_VALUES, "data")
        for is_ascii in (True, False):
            text = json.dumps(_VALUES, ensure_ascii=is_ascii)
            with self.assertNoLogs("absl", "WARNING"):
                self.assertEqual(self.read(text), expected)

    def test_answers_that_are_elsewhere_are_counted_and_named(self):
        values = copy.deepcopy(_VALUES)
        lost = [{**_SECOND, "id": f"lost{number}"} for number in range(7)]
        for question in lost:
            question["answers"] = [{"text": "dog", "answer_start": 21}]
        values["data"][0]["paragraphs"][0]["qas"] += lost
        with self.assertLogs("absl", "WARNING") as log:
            questions = self.read(json.dumps(values))
        self.assertEqual(len(questions), 9)
        self.assertEqual([q.is_trainable for q in questions].count(False), 7)
        (line,) = log.output
        self.assertRegex(line, r"dev\.json: 7 question\(s\)")
        self.assertTrue(line.endswith("lost0, lost1, lost2, lost3, lost4."))

    def test_what_is_no_whole_json_is_refused_by_name(self):
        whole = json.dumps(_VALUES)
        for text, message in (
            ("", r"dev\.json: not a JSON file"),
            (whole[: len(whole) // 2], r"dev\.json: not a JSON file"),
            ("question\tanswer\n", r"dev\.json: not a JSON file"),
            ("[1]", r"dev\.json: must hold a JSON object\. Received: list"),
            ("{}", r"dev\.json must have `data`"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                self.read(text)


@unittest.skipUnless(_DIRECTORY, "SQUAD_DIR does not name a directory")
class OfficialFilesTest(unittest.TestCase):
    def test_published_counts_are_read(self):
        for name, num_questions, num_impossible, num_answers in (
            ("dev-v1.1.rebuilt.json", 10570, 0, 34726),
            ("dev-v2.0.rebuilt.json", 11873, 5945, 20302),
        ):
            questions = read_squad(os.path.join(_DIRECTORY, name))
            self.assertEqual(len(questions), num_questions)
            impossible = [q for q in questions if q.is_impossible]
            self.assertEqual(len(impossible), num_impossible)
            self.assertEqual(
                sum(len(q.answers) for q in questions), num_answers
            )
            for question in questions:
                self.assertTrue(question.is_trainable)
                if not question.is_impossible:
                    context = question.context.encode()
                    answer = context[slice(*question.answer_span)].decode()
                    self.assertEqual(answer, question.answers[0][0])


_CONTEXTS = strategies.text(
    strategies.sampled_from("ab \n\u00a0é中𝒙́."), min_size=1, max_size=30
)
_few_examples = hypothesis.settings(
    max_examples=200, deadline=None, derandomize=True
)


class FindAnswerTest(unittest.TestCase):
    def test_bytes_are_those_of_utf_8(self):
        # One, two, three and four bytes for a character.
        context = "aé中𝒙 b"
        self.assertEqual(find_answer(context, "a", 0), (0, 1))
        self.assertEqual(find_answer(context, "é", 1), (1, 3))
        self.assertEqual(find_answer(context, "中𝒙", 2), (3, 10))
        self.assertEqual(find_answer(context, "b", 5), (11, 12))

    @_few_examples
    @hypothesis.given(context=_CONTEXTS, data=strategies.data())
    def test_an_answer_at_its_offset_is_found_exactly(self, context, data):
        places = strategies.integers(0, len(context))
        start, end = sorted((data.draw(places), data.draw(places)))
        text = context[start:end]
        found = find_answer(context, text, start)
        if not text.strip():
            self.assertIsNone(found)
        else:
            self.assertEqual(context.encode()[slice(*found)].decode(), text)
            before = context.encode()[: found[0]].decode()
            self.assertEqual(before, context[:start])

    @_few_examples
    @hypothesis.given(
        context=_CONTEXTS,
        text=strategies.one_of(
            _CONTEXTS, strategies.sampled_from(["a", "b a", " ", ""])
        ),
        start=strategies.integers(-3, 35),
    )
    def test_what_is_found_is_the_answer(self, context, text, start):
        found = find_answer(context, text, start)
        if found is not None:
            answer = context.encode()[slice(*found)].decode()
            self.assertEqual(answer.split(), text.split())

    def test_the_one_at_the_offset_is_taken(self):
        self.assertEqual(find_answer("to be to be", "be", 9), (9, 11))

    def test_an_offset_may_be_wrong_within_a_word(self):
        context = "The (old) house."
        for start in (4, 5, 6):
            self.assertEqual(find_answer(context, "old", start), (5, 8))
        # The space belongs to the word before it.
        self.assertEqual(find_answer(context, "old", 9), (5, 8))
        self.assertEqual(find_answer(context, "house", 9), (10, 15))

    def test_an_answer_in_another_word_is_not_there(self):
        context = "The (old) house."
        self.assertIsNone(find_answer(context, "old", 10))
        self.assertIsNone(find_answer(context, "old", 0))
        self.assertIsNone(find_answer(context, "Old", 5))
        # These three characters end just before the next word.
        self.assertIsNone(find_answer(context, "hou", 7))

    def test_white_space_stands_for_other_white_space(self):
        context = "an old\n \thouse"
        self.assertEqual(find_answer(context, "old house", 3), (3, 14))
        self.assertEqual(find_answer(context, " old house ", 3), (3, 14))

    def test_signs_of_regular_expressions_are_plain(self):
        self.assertEqual(find_answer("a [b+] c", "b+", 2), (3, 5))
        self.assertIsNone(find_answer("a bb c", "b+", 2))

    def test_offsets_outside_the_context_find_nothing(self):
        for start in (-1, 3, 10**30):
            self.assertIsNone(find_answer("abc", "a", start))
        self.assertIsNone(find_answer("abc", "abcd", 0))

    def test_what_is_empty_is_nowhere(self):
        self.assertIsNone(find_answer("abc", "", 0))
        self.assertIsNone(find_answer("a b", " ", 1))
        self.assertIsNone(find_answer("   ", "a", 1))
