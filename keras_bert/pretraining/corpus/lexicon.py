"""Lexicon of words, phrases and entities that are masked as one word.

References:
    [ERNIE](https://arxiv.org/abs/1904.09223), section 3.2
"""

import hashlib
import re

import numpy as np
from absl import logging

from keras_bert.text.base_vocabulary import read_lines

# Each Chinese character or kana is a unit; other letters form words.
_CHARACTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CHARACTERS += "\U00020000-\U0003134f"
_UNITS = re.compile(rf"[{_CHARACTERS}]|[^\W{_CHARACTERS}]+|[^\w\s]")
_MAX_LISTED = 10


class Lexicon:
    """Lexicon entries that are looked up in texts as sequences of words.

    The longest entry that begins at a word matches, and entries do not
    overlap. Only whole words match: "art" does not match in "party".

    Args:
        path: UTF-8 file with one entry per line.
        ignores_case: bool, whether to ignore case.

    Attributes:
        sha256: str, SHA-256 of the words of the entries in hexadecimal.
        matched: set of int, line numbers of the entries matched so far.

    Raises:
        ValueError: the file is not UTF-8, or a line is empty or a duplicate.
    """

    def __init__(self, path, ignores_case=False):
        self._path = str(path)
        self._ignores_case = ignores_case
        self._lines = {}  # Maps the words of an entry to its line number.
        self._lengths = {}  # Maps first words to entry lengths.
        self.matched = set()
        for number, line in enumerate(read_lines(path), start=1):
            words = tuple(self._words(line))
            same = self._lines.setdefault(words, number)
            if not words or same != number:
                problem = f"a duplicate of line {same}" if words else "empty"
                raise ValueError(
                    f"{path}, line {number}, must be a unique, non-empty "
                    f"entry. Received: {line!r}, {problem}. Delete the line."
                )
            self._lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {k: sorted(x)[::-1] for k, x in self._lengths.items()}
        text = "\n".join(map(" ".join, self._lines))
        self.sha256 = hashlib.sha256(text.encode("utf-8")).hexdigest()

    def _words(self, text):
        words = _UNITS.findall(text)
        return [x.lower() for x in words] if self._ignores_case else words

    def groups(self, lines):
        """Find the entries in lines of text and number them.

        Args:
            lines: list of bytes, UTF-8 lines.

        Returns:
            int32 array: a leading 0, then a number for each byte of the lines
            and a 0 after each line. All bytes of an entry have the same number,
            from 1; other bytes have 0.
        """
        groups = np.zeros(1 + sum(len(line) + 1 for line in lines), np.int32)
        start = number = 0
        for line in lines:
            text, done, offset = line.decode("utf-8"), 0, start
            for first, end in self._spans(text):
                offset += len(text[done:first].encode())
                size, done = len(text[first:end].encode()), end
                number += 1
                groups[1 + offset : 1 + offset + size] = number
                offset += size
            start += len(line) + 1
        return groups

    def _spans(self, text):
        """Yield the character offsets of each lexicon entry in a text."""
        words = self._words(text)
        spans = [match.span() for match in _UNITS.finditer(text)]
        index = 0
        while index < len(words):
            step = 1
            for length in self._lengths.get(words[index], ()):
                entry = tuple(words[index : index + length])
                if entry in self._lines:
                    self.matched.add(self._lines[entry])
                    # The last words of a line may be fewer than `length`.
                    step = len(entry)
                    yield spans[index][0], spans[index + step - 1][1]
                    break
            index += step

    def warn_of_missing(self, matched):
        """Log a warning with the entries that do not occur in the text.

        Args:
            matched: set of int, line numbers of the entries that occur.
        """
        lines = {n: " ".join(x) for x, n in self._lines.items()}
        missing = [n for n in lines if n not in matched]
        if missing:
            listed = (f"line {n} ({lines[n]!r})" for n in missing[:_MAX_LISTED])
            more = len(missing) - _MAX_LISTED
            logging.warning(
                "%d of %d entries of %s do not occur in the text: %s%s.",
                len(missing),
                len(lines),
                self._path,
                ", ".join(listed),
                f" and {more} more" if more > 0 else "",
            )
