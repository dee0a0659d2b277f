import hypothesis
import numpy as np
import pytest
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


def _spans(windows):
    return [*zip(windows.starts.tolist(), windows.lengths.tolist())]


@pytest.mark.parametrize(
    "doc_stride, context_length, expected",
    [
        # 5 tokens are left for the context.
        (3, 0, [(0, 0)]),
        (3, 4, [(0, 4)]),
        (3, 5, [(0, 5)]),
        (3, 6, [(0, 5), (3, 3)]),
        (3, 9, [(0, 5), (3, 5), (6, 3)]),
        (3, 12, [(0, 5), (3, 5), (6, 5), (9, 3)]),
        # A stride beyond the available length skips no token.
        (100, 11, [(0, 5), (5, 5), (10, 1)]),
    ],
)
def test_windows_step_through_the_context(doc_stride, context_length, expected):
    windows = WindowSizes(10, doc_stride, 2).windows(2, context_length)
    assert _spans(windows) == expected


@pytest.mark.parametrize(
    "num_special, question_length, kept, context_start, length",
    [(3, 9, 4, 6, 5), (3, 1, 1, 3, 8), (4, 1, 1, 4, 7)],
)
def test_the_question_is_cut_and_what_it_leaves_is_used(
    num_special, question_length, kept, context_start, length
):
    sizes = WindowSizes(12, 3, 4, num_special)
    windows = sizes.windows(question_length, 20)
    assert windows.question_length == kept
    assert windows.context_start == context_start
    assert windows.lengths[0] == length


@_few_examples
@_every_length
def test_windows_are_full_until_the_last_which_ends_the_context(
    sizes, question_length, context_length
):
    windows = sizes.windows(question_length, context_length)
    room = sizes.seq_length - sizes.num_special - windows.question_length
    ends = windows.starts + windows.lengths
    assert (windows.starts[0], ends[-1]) == (0, context_length)
    assert (windows.lengths[:-1] == room).all()
    assert (ends[:-1] < context_length).all()
    steps = np.diff(windows.starts)
    assert (steps == min(sizes.doc_stride, room)).all()
    longest = windows.context_start + windows.lengths.max() + 1
    assert longest <= sizes.seq_length


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"seq_length": 67}, "seq_length=67, max_query_length=64"),
        ({"doc_stride": 0}, "`doc_stride` must.*doc_stride=0"),
        ({"max_query_length": -1}, "max_query_length=-1"),
        ({"num_special": -1}, "num_special=-1"),
    ],
)
def test_sizes_without_room_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        WindowSizes(**arguments)
    WindowSizes(68)


@pytest.mark.parametrize(
    "spans, owners",
    [
        (
            [(0, 5), (3, 5), (6, 5), (9, 3)],
            [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3],
        ),
        # Token 3 has one neighbor on its shorter side in both windows.
        ([(0, 5), (2, 5)], [0, 0, 0, 0, 1, 1, 1]),
        # Token 295 is followed by 4 tokens in one window, by 5 in the other.
        ([(0, 300), (290, 11)], [0] * 300 + [1]),
    ],
)
def test_the_window_with_most_context_owns_a_token(spans, owners):
    starts, lengths = map(np.array, zip(*spans))
    assert AnswerWindows(2, 4, starts, lengths).owners().tolist() == owners


@_few_examples
@_every_length
def test_every_token_has_one_owner_that_holds_it(
    sizes, question_length, context_length
):
    windows = sizes.windows(question_length, context_length)
    owners, spans = windows.owners(), _spans(windows)
    assert owners.shape == (context_length,)
    for token, owner in enumerate(owners.tolist()):
        merits = []
        for start, length in spans:
            before, behind = token - start, start + length - 1 - token
            inside = before >= 0 and behind >= 0
            # In hundredths, so that they are integers.
            merit = 100 * min(before, behind) + length
            merits.append(merit if inside else -1)
        assert merits[owner] >= 0
        assert owner == merits.index(max(merits))
