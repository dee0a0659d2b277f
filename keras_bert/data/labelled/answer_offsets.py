"""Where an answer stands in its context: characters to bytes of UTF-8."""

import bisect
import re


def find_answer(context, text, start):
    """Finds an answer at its offset, or near it as google-research/bert does.

    That program compares words. It takes the words from the one at the
    answer's first character to the one at its last, and looks for the answer
    in there, any white space for any other. So an offset may be wrong within
    a word.

    Args:
        context: str.
        text: str, the answer.
        start: int, the character of the context where it should begin.

    Returns:
        Its first and its end byte in the context's UTF-8, or None if it is
        not there.
    """
    end = start + len(text)
    if not text.strip() or not 0 <= start < end <= len(context):
        return None
    if context[start:end] != text:
        pattern = re.compile(r"\s+".join(map(re.escape, text.split())))
        found = pattern.search(context, *_word_bounds(context, start, end))
        if found is None:
            return None
        start, end = found.span()
    first = len(context[:start].encode())
    return first, first + len(context[start:end].encode())


def _word_bounds(context, start, end):
    """From the word at the first character to the end of that at the last.

    White space belongs to the word before it.
    """
    words = [word.span() for word in re.finditer(r"\S+", context)] or [(0, 0)]
    begins = [begin for begin, _ in words]
    first = bisect.bisect_right(begins, start) - 1
    last = bisect.bisect_right(begins, end - 1) - 1
    return words[max(first, 0)][0], words[max(last, 0)][1]
