import copy
import json
import os
import pathlib
import tempfile
import unittest

from keras_bert.data.labelled.squad import SquadQuestion
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
            ((*_QUESTION, "id"), 5, "question 2: `id` must be a string.*: 5"),
            ((*_QUESTION, "is_impossible"), 0, "must be true or false.*: 0"),
            (_ANSWER, ["Zoë"], r"answer 1 must be an object.*: \['Zoë'\]"),
            ((*_ANSWER, "answer_start"), "17", "an integer.*: '17'"),
            ((*_ANSWER, "answer_start"), 17.0, "an integer.*: 17.0"),
            ((*_ANSWER, "answer_start"), True, "an integer.*: True"),
        ):
            self.assert_refused(path, value, message)
        with self.assertRaisesRegex(ValueError, r"must be an object.*: \[\]"):
            squad_questions([], "dev.json")

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
