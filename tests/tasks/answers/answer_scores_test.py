import unittest

from keras_bert.data.labelled.squad import SquadQuestion
from keras_bert.tasks.answers.squad_scores import answer_scores
from keras_bert.tasks.answers.squad_scores import normalized_answer
from keras_bert.tasks.answers.squad_scores import question_scores


def _question(name, *answers):
    pairs = tuple((answer, 0) for answer in answers)
    return SquadQuestion(name, "?", "context", pairs, not answers, None)


class NormalizedAnswerTest(unittest.TestCase):
    def test_case_punctuation_and_articles_go(self):
        for text, expected in (
            ("The Normans!", "normans"),
            ("an apple, a day", "apple day"),
            ("ÉLAN\n of\u00a0 U.S.", "élan of us"),
            # Punctuation goes first: no article is left between hyphens.
            ("a-b 1895-1943", "ab 18951943"),
            ("theory another", "theory another"),
            ("The a, AN", ""),
            ("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", ""),
        ):
            self.assertEqual(normalized_answer(text), expected)

    def test_unicode_quotes_and_dashes_stay(self):
        self.assertEqual(normalized_answer("“Cats” 5–6"), "“cats” 5–6")


class AnswerScoresTest(unittest.TestCase):
    def assert_scores(self, answer, golds, exact, f1):
        scores = answer_scores(answer, golds)
        self.assertEqual(scores[0], exact)
        self.assertAlmostEqual(scores[1], f1, places=12)

    def test_words_count_as_often_as_both_have_them(self):
        # 2 of 3 words shared either way.
        self.assert_scores("big big cat", ["big cat cat"], 0.0, 2 / 3)
        self.assert_scores("cat cat", ["cat"], 0.0, 2 / 3)

    def test_f1_is_the_harmonic_mean_of_precision_and_recall(self):
        # Precision 1, recall 1 / 4.
        self.assert_scores("cat", ["cat sat on mat"], 0.0, 2 / 5)
        # Precision 2 / 5, recall 1.
        self.assert_scores("cat sat on mat there", ["mat cat"], 0.0, 4 / 7)

    def test_the_best_right_answer_counts(self):
        golds = ["dog", "cat sat", "cat"]
        self.assert_scores("cat", golds, 1.0, 1.0)
        self.assert_scores("sat cat", golds, 0.0, 1.0)
        self.assert_scores("bird", golds, 0.0, 0.0)

    def test_no_words_agree_with_no_words_only(self):
        self.assert_scores("", [""], 1.0, 1.0)
        self.assert_scores("", ["cat"], 0.0, 0.0)
        self.assert_scores("cat", [""], 0.0, 0.0)


class QuestionScoresTest(unittest.TestCase):
    def assert_scores(self, questions, predictions, exact, f1):
        scores = question_scores(questions, predictions)
        self.assertEqual([x.tolist() for x in scores], [exact, f1])

    def test_texts_are_normalized_on_both_sides(self):
        self.assert_scores(
            [_question("q", "dog", "The Cat!")], {"q": "a cat"}, [1.0], [1.0]
        )

    def test_a_missing_prediction_scores_nothing(self):
        questions = [_question("1", "cat"), _question("2", "dog")]
        self.assert_scores(questions, {"2": "dog"}, [0.0, 1.0], [0.0, 1.0])

    def test_only_no_answer_is_right_for_an_impossible_question(self):
        questions = [_question(name) for name in "123"]
        predictions = {"1": "", "2": "The", "3": "cat"}
        expected = [1.0, 1.0, 0.0]
        self.assert_scores(questions, predictions, expected, expected)

    def test_right_answers_without_words_drop_out_of_version_2(self):
        impossible = _question("0")
        questions = [_question("1", "the", "cat"), _question("2", "A")]
        predictions = {"0": "", "1": "", "2": ""}
        expected = [1.0, 0.0, 1.0]
        self.assert_scores(
            [impossible, *questions], predictions, expected, expected
        )
        self.assert_scores(questions, predictions, [1.0, 1.0], [0.0, 0.0])
