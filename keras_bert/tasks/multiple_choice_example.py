"""Multiple-choice examples, which readers create and `fit` takes."""

import dataclasses

from keras_bert.summary import Summarized


@dataclasses.dataclass(frozen=True, repr=False)
class MultipleChoiceExample(Summarized):
    """Multiple-choice example.

    Args:
        context: str, first text of each input pair.
        choices: tuple of str, second text of each input pair.
        label: int, index of the correct choice; None if unknown.
        where: str, location for messages, such as "train.csv, line 12".
    """

    context: str
    choices: tuple
    label: int | None
    where: str
