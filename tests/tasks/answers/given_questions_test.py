import json
import pathlib
import tempfile
import unittest

import numpy as np

from keras_bert.data.labelled.squad import SquadQuestion
from keras_bert.tasks.answers.question_rows import asked_questions
from keras_bert.tasks.answers.question_rows import labelled_questions

_ANSWER = {"text": "dog", "answer_start": 2}
_ENTRY = {"id": "q", "question": "who?", "answers": [_ANSWER]}
_PARAGRAPH = {"context": "a dog", "qas": [_ENTRY]}
_OBJECT = {"data": [{"title": "t", "paragraphs": [_PARAGRAPH]}]}
_QUESTION = SquadQuestion("q", "who?", "a dog", (("dog", 2),), False, (2, 5))


class LabelledQuestionsTest(unittest.TestCase):
    def test_a_path_an_object_and_a_list_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "train.json")
            path.write_text(json.dumps(_OBJECT))
            for given in (path, str(path), _OBJECT, [_QUESTION], (_QUESTION,)):
                self.assertEqual(labelled_questions(given), [_QUESTION])

    def test_what_is_none_is_named(self):
        for given, message in (
            (
                [_QUESTION, ("who?", "a dog")],
                r"\('who\?', 'a dog'\) at index 1",
            ),
            ([], "Received: none"),
            (3, "Received: 3"),
            ([_QUESTION, _QUESTION], "'q' once more at index 1"),
            ({"data": []}, "`questions` must hold at least one question"),
        ):
            with self.subTest(given=given):
                with self.assertRaisesRegex(ValueError, message):
                    labelled_questions(given)


class AskedQuestionsTest(unittest.TestCase):
    def test_pairs_of_any_container_have_their_indices_as_ids(self):
        pairs = [("who?", "a dog"), ("", "")]
        expected = [
            SquadQuestion("0", "who?", "a dog", (), False, None),
            SquadQuestion("1", "", "", (), False, None),
        ]
        columns = [*zip(*pairs)]
        named = dict(zip(("question", "context"), columns))
        for given in (
            pairs,
            np.array(pairs),
            (*map(np.array, columns),),
            named,
            [dict(zip(named, pair)) for pair in pairs],
        ):
            self.assertEqual(asked_questions(given), expected)
        self.assertEqual(asked_questions([]), [])

    def test_what_is_no_pair_is_named(self):
        for given, message in (
            (["ab"], "'ab' at index 0"),
            ([("a", "b"), ("a",)], r"\('a',\) at index 1"),
            ([("a", "b"), 7], "7 at index 1"),
            ([("a", "b"), ("a", None)], "None at index 1"),
            ([("a", "\ud800")], "surrogate pair.*at character 0"),
            ("ab", "Received: 'ab'"),
            ([{"text": "a"}], "'question' and 'context'.*the keys 'text'"),
        ):
            with self.subTest(given=given):
                with self.assertRaisesRegex(ValueError, message):
                    asked_questions(given)
