import unittest

import hypothesis
import numpy as np
from hypothesis import strategies

from keras_bert.tasks.answers.answer_windows import AnswerWindows
from keras_bert.tasks.answers.answer_windows import WindowSizes

_SIZES = strategies.builds(
    lambda room, doc_stride, max_query_length, num_special: WindowSizes(
        room + max_query_length + num_special,
        doc_stride,
        max_query_length,
        num_special,
    ),
    strategies.integers(1, 9),
    strategies.integers(1, 12),
    strategies.integers(1, 5),
    strategies.integers(2, 4),
)
_few_examples = hypothesis.settings(
    max_examples=200, deadline=None, derandomize=True
)
_every_length = hypothesis.given(
    sizes=_SIZES,
    question_length=strategies.integers(0, 7),
    context_length=strategies.integers(0, 40),
)


def _windows(*spans):
    starts, lengths = zip(*spans)
    return AnswerWindows(2, 4, np.array(starts), np.array(lengths))


class WindowSizesTest(unittest.TestCase):
    def assert_windows(self, windows, *expected):
        spans = zip(windows.starts.tolist(), windows.lengths.tolist())
        self.assertEqual([*spans], [*expected])

    def test_windows_step_through_the_context(self):
        # 5 tokens are left for the context.
        sizes = WindowSizes(10, doc_stride=3, max_query_length=2)
        for context_length, expected in (
            (4, [(0, 4)]),
            (5, [(0, 5)]),
            (6, [(0, 5), (3, 3)]),
            (8, [(0, 5), (3, 5)]),
            (9, [(0, 5), (3, 5), (6, 3)]),
            (12, [(0, 5), (3, 5), (6, 5), (9, 3)]),
        ):
            windows = sizes.windows(2, context_length)
            self.assert_windows(windows, *expected)

    def test_a_stride_beyond_the_room_leaves_nothing_out(self):
        sizes = WindowSizes(8, doc_stride=100, max_query_length=2)
        self.assert_windows(sizes.windows(2, 7), (0, 3), (3, 3), (6, 1))

    def test_a_context_without_tokens_has_an_empty_window(self):
        windows = WindowSizes().windows(5, 0)
        self.assert_windows(windows, (0, 0))
        self.assertEqual(windows.owners().tolist(), [])

    def test_the_question_is_cut_and_what_it_leaves_is_used(self):
        sizes = WindowSizes(12, doc_stride=3, max_query_length=4)
        windows = sizes.windows(9, 20)
        self.assertEqual(windows.question_length, 4)
        self.assertEqual(windows.lengths[0], 5)
        windows = sizes.windows(1, 20)
        self.assertEqual(windows.question_length, 1)
        self.assertEqual(windows.lengths[0], 8)

    def test_the_context_begins_behind_the_question(self):
        # [CLS] question [SEP] context [SEP]
        self.assertEqual(WindowSizes().windows(7, 9).context_start, 9)
        # Two special tokens between the texts.
        sizes = WindowSizes(num_special=4)
        self.assertEqual(sizes.windows(7, 9).context_start, 10)

    @_few_examples
    @_every_length
    def test_every_token_is_in_a_window(
        self, sizes, question_length, context_length
    ):
        windows = sizes.windows(question_length, context_length)
        seen = set()
        for start, length in zip(windows.starts, windows.lengths):
            seen |= {*range(start, start + length)}
        self.assertEqual(seen, {*range(context_length)})

    @_few_examples
    @_every_length
    def test_windows_are_full_but_for_the_last_which_ends_the_context(
        self, sizes, question_length, context_length
    ):
        windows = sizes.windows(question_length, context_length)
        room = sizes.seq_length - sizes.num_special - windows.question_length
        ends = windows.starts + windows.lengths
        self.assertEqual(windows.starts[0], 0)
        self.assertEqual(ends[-1], context_length)
        self.assertTrue((windows.lengths[:-1] == room).all())
        self.assertTrue((ends[:-1] < context_length).all())
        steps = np.diff(windows.starts)
        self.assertTrue((steps == min(sizes.doc_stride, room)).all())
        self.assertLessEqual(
            windows.context_start + windows.lengths.max() + 1, sizes.seq_length
        )

    def test_sizes_without_room_are_refused(self):
        for arguments, message in (
            ({"seq_length": 67}, "seq_length=67, max_query_length=64"),
            ({"doc_stride": 0}, "`doc_stride` must.*doc_stride=0"),
            ({"max_query_length": -1}, "max_query_length=-1"),
            ({"num_special": -1}, "num_special=-1"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                WindowSizes(**arguments)
        WindowSizes(68)


class OwnersTest(unittest.TestCase):
    def test_the_window_with_most_context_owns_a_token(self):
        windows = _windows((0, 5), (3, 5), (6, 5), (9, 3))
        self.assertEqual(
            windows.owners().tolist(), [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
        )

    def test_the_first_of_equal_windows_owns_a_token(self):
        # Token 3 has one neighbour on its poorer side in both.
        windows = _windows((0, 5), (2, 5))
        self.assertEqual(windows.owners().tolist(), [0, 0, 0, 0, 1, 1, 1])

    def test_a_hundred_tokens_of_length_are_worth_one_of_context(self):
        # Token 295 has 4 tokens behind it in the one, 5 in the other.
        windows = _windows((0, 300), (290, 11))
        self.assertEqual(windows.owners().tolist(), [0] * 300 + [1])

    @_few_examples
    @_every_length
    def test_every_token_has_one_owner_that_holds_it(
        self, sizes, question_length, context_length
    ):
        windows = sizes.windows(question_length, context_length)
        owners = windows.owners()
        self.assertEqual(owners.shape, (context_length,))
        spans = [*zip(windows.starts.tolist(), windows.lengths.tolist())]
        for token, owner in enumerate(owners.tolist()):
            merits = []
            for start, length in spans:
                before, behind = token - start, start + length - 1 - token
                inside = before >= 0 and behind >= 0
                # In hundredths, so that they are whole.
                merit = 100 * min(before, behind) + length
                merits.append(merit if inside else -1)
            self.assertGreaterEqual(merits[owner], 0)
            self.assertEqual(owner, merits.index(max(merits)))
