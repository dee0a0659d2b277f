import hypothesis
import numpy as np
from hypothesis import strategies

from keras_bert.tasks.inputs.answer_windows import AnswerWindows
from keras_bert.tasks.inputs.answer_windows import WindowSizes

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


@_few_examples
@_every_length
def test_windows_are_full_until_the_last_which_ends_the_context(
    sizes, question_length, context_length
):
    windows = sizes.windows(question_length, context_length)
    kept = min(question_length, sizes.max_query_length)
    assert windows.question_length == kept
    assert windows.context_start == kept + sizes.num_special - 1
    room = sizes.seq_length - sizes.num_special - kept
    ends = windows.starts + windows.lengths
    assert (windows.starts[0], ends[-1]) == (0, context_length)
    assert (windows.lengths[:-1] == room).all()
    assert windows.lengths[-1] <= room
    assert (ends[:-1] < context_length).all()
    steps = np.diff(windows.starts)
    assert (steps == min(sizes.doc_stride, room)).all()


def test_a_long_window_owns_a_token_with_less_context():
    # Token 295 is followed by 4 tokens in one window, by 5 in the other.
    windows = AnswerWindows(2, 4, np.array([0, 290]), np.array([300, 11]))
    assert windows.owners().tolist() == [0] * 300 + [1]


@_few_examples
@_every_length
def test_every_token_has_one_owner_that_holds_it(
    sizes, question_length, context_length
):
    windows = sizes.windows(question_length, context_length)
    owners = windows.owners()
    spans = [*zip(windows.starts.tolist(), windows.lengths.tolist())]
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
