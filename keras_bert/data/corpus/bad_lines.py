"""Lines that are skipped because they hold no text: how many, and which."""

from absl import logging

_NUM_LISTED = 5


class BadLines:
    """What was skipped.

    Attributes:
        count: int.
        listed: list of str, what is wrong with the first few.
    """

    def __init__(self, count=0, listed=()):
        self.count = count
        self.listed = list(listed[:_NUM_LISTED])

    def add(self, message):
        """Counts a line.

        Args:
            message: str, what is wrong with it, and where it is.
        """
        self.count += 1
        if len(self.listed) < _NUM_LISTED:
            self.listed.append(message)

    def log(self):
        """Tells what was skipped, if anything."""
        if self.count:
            logging.warning(
                "%d bad line(s) skipped (--on_bad_line=skip), of which the "
                "first: %s",
                self.count,
                " ".join(self.listed),
            )
