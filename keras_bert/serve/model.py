"""Interface of the models of a server."""

import abc
import typing
from collections.abc import Sequence

from keras_bert.typing import Path

QUERY, DOCUMENT = "query", "document"
# Names of prompts for documents; the first one that exists is used.
DOCUMENT_PROMPTS = (DOCUMENT, "passage", "corpus")
TASKS = ("TextEmbedder", "SparseEmbedder", "PairRanker", "TextClassifier")


class Model(abc.ABC):
    """Model that maps texts to outputs.

    Attributes:
        task: name of the class in `keras_bert.tasks`.
        labels: names of the classes of a classifier, or None.
        settings: settings of the task.
    """

    task: str
    labels: list[str] | None
    settings: dict[str, typing.Any]

    @abc.abstractmethod
    def num_tokens(self, texts: list, role: str) -> list[int]:
        """Count the tokens of each text, as the model computes them.

        Args:
            texts: list of str, or of (query, document) pairs for a ranker.
            role: "query", "document" or "" for the default prompt.
        """

    @abc.abstractmethod
    def text_of(self, ids: list[int]) -> str:
        """Return the text of token ids without special tokens.

        Raises:
            ValueError: an id is not in the vocabulary.
        """

    @abc.abstractmethod
    def compute(self, texts: list, role: str) -> Sequence[typing.Any]:
        """Compute the output of each text.

        Args:
            texts, role: see `num_tokens`.

        Returns:
            For each text: a float32 embedding `(dim,)`, a dict mapping word
            pieces to weights, a score (float), or float32 probabilities
            `(num_labels,)`.
        """


def check_served(task: str, directory: Path) -> None:
    """Raise ValueError if there is no route for a task."""
    if task not in TASKS:
        raise ValueError(
            f"A served model must be one of {', '.join(TASKS)}. Received: "
            f"{directory}, a {task}."
        )


def check_ids(ids: list[int], vocab_size: int) -> None:
    """Raise ValueError if an id is not in a vocabulary."""
    if not all(0 <= token_id < vocab_size for token_id in ids):
        raise ValueError(
            f"Token ids must be from 0 to {vocab_size - 1}. They are ids of "
            "the vocabulary of this model, not of OpenAI's models."
        )
