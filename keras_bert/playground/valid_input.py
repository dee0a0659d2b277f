"""Checks of what a visitor types in, before anything is computed."""

import math

from keras_bert.tasks.fine_tuning.columns import checked_texts

MAX_CHARACTERS = 20_000


def valid_text(text, name="The text"):
    """Return a text that is not blank and not too long, or raise ValueError."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name} is empty. Write something into it.")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(
            f"{name} must be at most {MAX_CHARACTERS:,} characters. "
            f"Received: {len(text):,}."
        )
    checked_texts([text])
    return text


def valid_pair(text):
    """A second text, or None where there is none."""
    if text is None or (isinstance(text, str) and not text.strip()):
        return None
    return valid_text(text, "The second text")


def valid_lines(text, name, most):
    """Return the lines of a text that are not blank, at most so many."""
    lines = [x.strip() for x in valid_text(text, name).splitlines()]
    lines = [line for line in lines if line]
    if len(lines) > most:
        raise ValueError(
            f"{name} must have at most {most} lines. Received: {len(lines)}."
        )
    return lines


def valid_number(value, name, low, high):
    """A number from `low` to `high`, whole if these are."""
    is_number = isinstance(value, int | float) and math.isfinite(value)
    if isinstance(value, bool) or not is_number or not low <= value <= high:
        raise ValueError(
            f"{name} must be a number from {low} to {high}. "
            f"Received: {str(value)[:40]}."
        )
    return int(value) if isinstance(low, int) else float(value)
