"""One-line `repr` of objects."""

import itertools

_MOST_ITEMS = 6
_MOST_CHARACTERS = 80


class Summarized:
    """Base class with a one-line `repr`.

    Long collections and texts are truncated. A subclass that is a dataclass
    must have `repr=False`.
    """

    def __repr__(self):
        facts = [
            f"{name}={_short(value)}"
            for name, value in self._facts().items()
            if value is not None
        ]
        return f"{type(self).__name__}({', '.join(facts)})"

    def _facts(self):
        """Return a dict of the values in `repr`, by default the attributes."""
        return vars(self)


def tokenizer_facts(tokenizer):
    """Return the vocabulary size and the scalar settings of a tokenizer."""
    plain = {
        name: value
        for name, value in vars(tokenizer.settings).items()
        if isinstance(value, bool | int | str)
    }
    return {"vocab_size": len(tokenizer.vocabulary), **plain}


def _short(value):
    is_long = isinstance(value, list | tuple) and len(value) > _MOST_ITEMS
    if is_long:
        first = map(_short, itertools.islice(value, _MOST_ITEMS))
        return f"[{', '.join(first)}, ... {len(value)} in all]"
    if type(value) is int:
        return f"{value:_}"
    text = repr(value)
    is_cut = len(text) > _MOST_CHARACTERS and isinstance(value, str)
    return f"{text[: _MOST_CHARACTERS - 3]}..." if is_cut else text
