import unittest

import hypothesis
from hypothesis import strategies

from keras_bert.data.labelled.answer_offsets import find_answer

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
