"""Models of a server with their queues, limits and errors."""

import asyncio
import concurrent.futures
import dataclasses
import functools
import typing
from collections.abc import Mapping
from collections.abc import Sequence

from keras_bert import checks
from keras_bert.serve.batcher import Batcher
from keras_bert.serve.model import Model

# Requests with more characters are tokenized in a thread, because they would
# delay other requests.
_SHORT_CHARACTERS = 2000


@dataclasses.dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Limits of a server.

    Args:
        max_batch_tokens: maximum number of tokens that a model computes
            together.
        max_wait_ms: number of milliseconds that a batch waits for more
            requests.
        max_queue: maximum number of texts of a model that wait. Further
            requests are answered with status 429.
        max_texts: maximum number of texts in a request.
        max_characters: maximum number of characters in a request.
        api_key: key that requests must contain, or None.
        num_threads: number of threads of a model. Defaults to all cores.

    Raises:
        ValueError: a number is out of range.
    """

    max_batch_tokens: int = 1024
    max_wait_ms: float = 0.0
    max_queue: int = 8192
    max_texts: int = 2048
    max_characters: int = 2_000_000
    api_key: str | None = None
    num_threads: int | None = None

    def __post_init__(self) -> None:
        checks.at_least(
            1,
            max_batch_tokens=self.max_batch_tokens,
            max_queue=self.max_queue,
            max_texts=self.max_texts,
            max_characters=self.max_characters,
        )
        checks.not_negative(max_wait_ms=self.max_wait_ms)


class RequestError(Exception):
    """Error of a request.

    Args:
        status: HTTP status.
        message: the error and its remedy.
        field: name of the field of the request, or None.
    """

    def __init__(self, status: int, message: str, field: str | None = None):
        super().__init__(message)
        self.status, self.message, self.field = status, message, field


class Outputs(typing.NamedTuple):
    """Outputs of a model.

    Args:
        values: an output for each text, see `Model.compute`.
        num_tokens: number of tokens of all texts.
    """

    values: list[typing.Any]
    num_tokens: int


class Server:
    """Compute requests with the models of a server.

    Args:
        models: the models by name.
        options: limits.
    """

    def __init__(self, models: Mapping[str, Model], options: ServerOptions):
        self.models = dict(models)
        self.options = options
        # A model computes one batch at a time with all cores.
        self._threads = {
            name: concurrent.futures.ThreadPoolExecutor(1) for name in models
        }
        self._batchers: dict[tuple[str, str, bool], Batcher] = {}

    def find(self, name: str | None, tasks: Sequence[str]) -> tuple[str, Model]:
        """Return the name and the model of a request.

        Args:
            name: name in the request; None for the first model of `tasks`.
            tasks: tasks that the route supports.

        Raises:
            RequestError: there is no such model.
        """
        known = {k: x for k, x in self.models.items() if x.task in tasks}
        if name is None and known:
            return next(iter(known.items()))
        if name not in known:
            missing = f"The model {name!r} does not exist. " if name else ""
            raise RequestError(
                404,
                f"{missing}Models of this route: {', '.join(known) or 'none'}.",
                "model",
            )
        return name, known[name]

    async def compute(
        self, name: str, texts: list, role: str = "", field: str = "input"
    ) -> Outputs:
        """Compute texts together with the texts of other requests.

        Args:
            name: name of the model.
            texts: list of str, or of pairs.
            role: see `Model.compute`.
            field: field of the request with the texts, for errors.

        Raises:
            RequestError: the texts are over a limit, or too many texts wait.
        """
        num_characters = self._check(texts, field)
        model = self.models[name]
        is_pair = self._check_kind(texts, model, field)
        if not texts:
            return Outputs([], 0)
        try:
            if num_characters <= _SHORT_CHARACTERS:
                num_tokens = model.num_tokens(texts, role)
            else:
                num_tokens = await asyncio.to_thread(
                    model.num_tokens, texts, role
                )
        except ValueError as error:
            raise RequestError(400, f"`{field}`: {error}", field) from None
        key = name, role, is_pair
        if key not in self._batchers:
            self._batchers[key] = Batcher(
                functools.partial(model.compute, role=role),
                self.options.max_batch_tokens,
                self.options.max_wait_ms / 1000,
                self._threads[name],
            )
        num_waiting = sum(
            batcher.num_waiting
            for (model_name, *_), batcher in self._batchers.items()
            if model_name == name
        )
        is_full = num_waiting + len(texts) > self.options.max_queue
        if num_waiting and is_full:
            raise RequestError(
                429, f"The model {name!r} is overloaded. Try again later."
            )
        values = await self._batchers[key].outputs(texts, num_tokens)
        return Outputs(values, sum(num_tokens))

    def check_count(self, texts: list, field: str) -> None:
        """Raise RequestError if a request has too many texts.

        Args:
            texts: the texts, or a list of token ids for each text.
            field: see `compute`.
        """
        if len(texts) > self.options.max_texts:
            raise RequestError(
                413,
                f"`{field}` must have at most {self.options.max_texts} texts. "
                f"Received: {len(texts)}.",
                field,
            )

    def _check_kind(self, texts: list, model: Model, field: str) -> bool:
        """Return whether the texts are pairs, or raise RequestError."""
        kinds = {not isinstance(text, str) for text in texts}
        wanted = {True, False} if model.is_pair is None else {model.is_pair}
        if len(kinds) > 1 or not kinds <= wanted:
            names = {
                False: "texts",
                True: "pairs of texts",
                None: "either texts or pairs of texts",
            }
            raise RequestError(
                400, f"`{field}` must have {names[model.is_pair]}.", field
            )
        return kinds == {True}

    def _check(self, texts: list, field: str) -> int:
        """Return the number of characters, or raise RequestError."""
        self.check_count(texts, field)
        parts = [[x] if isinstance(x, str) else x for x in texts]
        strings = [text for part in parts for text in part]
        if not all(map(_is_unicode, strings)):
            raise RequestError(
                400, f"`{field}` must not have lone surrogates.", field
            )
        num_characters = sum(map(len, strings))
        if num_characters > self.options.max_characters:
            raise RequestError(
                413,
                f"`{field}` must have at most {self.options.max_characters} "
                f"characters. Received: {num_characters}.",
                field,
            )
        return num_characters


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # JSON can escape half of a character.
        return False
    return True
