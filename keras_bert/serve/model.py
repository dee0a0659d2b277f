"""Interface of the models of a server."""

import abc
import contextlib
import typing
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence

import numpy as np

from keras_bert.messages import brief
from keras_bert.typing import Path

QUERY, DOCUMENT = "query", "document"
# Names of prompts for documents; the first one that exists is used.
DOCUMENT_PROMPTS = (DOCUMENT, "passage", "corpus")
# Tasks with a route, and their main output in exported models.
OUTPUTS = {
    "TextEmbedder": "embedding",
    "SparseEmbedder": "weights",
    "PairRanker": "score",
    "TextClassifier": "probabilities",
}


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

    @property
    def is_pair(self) -> bool | None:
        """Whether the model takes pairs of texts; None for both."""
        if self.task != "TextClassifier":
            return self.task == "PairRanker"
        return self.settings["is_pair"]

    @abc.abstractmethod
    def num_tokens(self, texts: list, role: str) -> list[int]:
        """Count the tokens of each text, as the model computes them.

        Args:
            texts: list of str, or of pairs of str for rankers and classifiers
                of pairs.
            role: "query", "document" or "" for the default prompt.

        Raises:
            ValueError: the model cannot compute a text or use the role.
        """

    @abc.abstractmethod
    def text_of(self, ids: list[int]) -> str:
        """Return the text with these token ids.

        Raises:
            ValueError: no text has these ids.
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


@contextlib.contextmanager
def reading(directory: Path) -> Iterator[None]:
    """Context manager that names the directory of an export in errors."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # A panic of Rust is not an Exception.
        raise ValueError(
            f"{directory} must be a complete export. Export the model again. "
            f"Received: {type(error).__name__}: {error}"
        ) from error


def check_request_settings(model: Model) -> None:
    """Raise an error if a setting that requests need is missing or wrong."""
    prompts = model.settings.get("prompts") or {}
    if not all(isinstance(x, str) for x in prompts.values()):
        raise ValueError(
            f"`prompts` must be texts. Received: {brief(prompts)}."
        )
    if model.is_pair not in (True, False, None):
        raise ValueError(
            f"`is_pair` must be a bool. Received: {brief(model.is_pair)}."
        )


def check_served(task: str, directory: Path) -> None:
    """Raise ValueError if there is no route for a task."""
    if task not in OUTPUTS:
        raise ValueError(
            f"A served model must be one of {', '.join(OUTPUTS)}. Received: "
            f"{directory}, a {task}."
        )


def text_of_ids(
    ids: list[int],
    vocab_size: int,
    decode: Callable[[list[int]], str],
    encode: Callable[[str], list[int]],
) -> str:
    """Return the text with these token ids.

    Args:
        ids: token ids.
        vocab_size: number of tokens.
        decode: function that maps ids to a text.
        encode: function that maps a text to ids, without special tokens.

    Raises:
        ValueError: no text has these ids.
    """
    if not all(0 <= token_id < vocab_size for token_id in ids):
        raise ValueError(
            f"Token ids must be from 0 to {vocab_size - 1}. They are ids of "
            "the vocabulary of this model, not of OpenAI's models."
        )
    text = decode(ids)
    if encode(text) != ids:
        raise ValueError(
            "Token ids must be those of a text, without special tokens and "
            "unknown words. Send the text."
        )
    return text


def exported_prompt(settings: dict[str, typing.Any], role: str) -> str:
    """Return the prompt to prepend to the texts of an exported model.

    An exported model prepends its default prompt itself.

    Args:
        settings: settings of the task.
        role: see `Model.num_tokens`.

    Raises:
        ValueError: the exported model cannot use the prompt of the role.
    """
    names = {QUERY: (QUERY,), DOCUMENT: DOCUMENT_PROMPTS}
    prompts = settings.get("prompts") or {}
    default = prompts.get(settings.get("default_prompt_name"), "")
    known = [prompts[x] for x in names.get(role, ()) if x in prompts]
    prompt = known[0] if known else ""
    if not role or prompt == default:
        return ""
    if default or not settings.get("include_prompt", True):
        raise ValueError(
            "An exported model can only prepend prompts that pooling includes, "
            "and only without a default prompt. Serve the task itself, or "
            f"omit the prompt. Received: the prompt of {role!r}."
        )
    return prompt


def piece_weights(
    ids: np.ndarray, weights: np.ndarray
) -> list[dict[int, float]]:
    """Return the weights of the word pieces of each text.

    Args:
        ids: ids of the pieces, int `(batch_size, num_pieces)`.
        weights: their weights of the same shape; 0 for padding.
    """
    return [
        {int(i): float(w) for i, w in zip(*row, strict=True) if w}
        for row in zip(ids, weights, strict=True)
    ]
