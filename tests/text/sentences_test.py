import random
import unittest

from keras_bert.text.sentences import split_sentences


class SplitSentencesTest(unittest.TestCase):
    def assert_splits(self, *expected):
        self.assertEqual(split_sentences(" ".join(expected)), list(expected))

    def test_each_terminator_ends_a_sentence(self):
        self.assert_splits("It rains.", "Does it?", "It does!", "Well…", "Yes")

    def test_titles_do_not_end_a_sentence(self):
        self.assert_splits("Mr. and Mrs. Grey met Dr. Hall.", "St. Ives won.")

    def test_quoted_titles_do_not_end_a_sentence(self):
        self.assert_splits("'Mrs. Elsmere does not know?'", "“Mr. Bo is ill.”")

    def test_latin_abbreviations_do_not_end_a_sentence(self):
        self.assert_splits(
            "Use a type, e.g. Python's, i.e. Float.", "So it is."
        )

    def test_initials_belong_to_the_name(self):
        self.assert_splits(
            "By J. R. R. Tolkien and M. A. Saunders.", "He wrote."
        )
        self.assert_splits("It is due to S.-C. Choi.", "The U.S. Army used it.")

    def test_a_letter_before_a_common_opener_ends_a_sentence(self):
        self.assert_splits("Take the rank of A.", "The rest is zero.")
        self.assert_splits("So am I.", "Let us go at 5 p.m.", "They wait.")

    def test_a_variable_may_end_a_sentence(self):
        self.assert_splits("It compares on x.", "Others are ignored.")

    def test_numbers_keep_their_points(self):
        self.assert_splits("It costs 3.50 in version 2.1.0.", "See Fig. 3.")
        self.assert_splits(
            "It is No. 5 in Sec. IV.", "No.", "It is in 0 .. 10."
        )

    def test_closing_quotes_and_brackets_stay_with_their_sentence(self):
        self.assert_splits(
            "“Go!”", "He went.", "‘Why?’", "(None knew.)", "All did."
        )

    def test_speech_goes_on_after_its_quotation(self):
        self.assert_splits(
            '"Hush!" said the man, "I hear."', '"What?" he said.'
        )

    def test_ellipses_end_a_sentence_before_a_capital_only(self):
        self.assert_splits("I wait... and wait...", "Then I go.")

    def test_code_may_open_a_sentence(self):
        self.assert_splits("It is a shape.", "`x` is one.", "st_input is not.")

    def test_list_marks_stay_with_their_item(self):
        self.assert_splits("1. First do this.", "Then that.")

    def test_white_space_becomes_one_space(self):
        self.assertEqual(
            split_sentences("  One\n two.\t\u00a0Three.\n"),
            ["One two.", "Three."],
        )

    def test_no_text_has_no_sentences(self):
        self.assertEqual(split_sentences(" \n"), [])

    def test_nothing_is_lost_or_added(self):
        generator = random.Random(1)
        for _ in range(2000):
            text = "".join(generator.choices("aZé I.!?…\"'”)`(1_- \n", k=40))
            result = split_sentences(text)
            self.assertEqual(" ".join(result), " ".join(text.split()))
            self.assertTrue(all(result), text)
