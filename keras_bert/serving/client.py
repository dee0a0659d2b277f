"""A client of TensorFlow Serving, whatever the protocol."""

import itertools
import time

from absl import logging

from keras_bert.serving.errors import ServerError
from keras_bert.serving.errors import Unavailable
from keras_bert.serving.signature import signature_of

MOST_BYTES = 1 << 29  # Of an answer.
_LONGEST_S = 86400  # A day.
_WAITS_S = (0.25, 0.5, 1.0, 2.0)


class Client:
    """Asks one model of a TensorFlow Serving server.

    A subclass knows a protocol: it sets `default_port` and writes
    `read_signatures` and `ask`. Nothing is asked before the first use. If no
    server is there, or it says that it is not ready, it is asked four times
    again in the next four seconds.

    Args:
        model_name: str, under which the server has the model.
        host: str, a name or an address.
        port: int; by default that of TensorFlow Serving.
        version: int, which version of the model; by default what the server
            takes, the newest.
        version_label: str, the label of a version instead.
        timeout_s: float, seconds to wait for one answer.
    """

    default_port = None

    def __init__(
        self,
        model_name,
        host="localhost",
        port=None,
        version=None,
        version_label=None,
        timeout_s=60.0,
    ):
        if version is not None and version_label is not None:
            raise ValueError(
                "Either `version` or `version_label` must be given, not both. "
                f"Received: {version}, {version_label!r}."
            )
        if not model_name:
            raise ValueError("`model_name` must be given. Received: none.")
        if not host or "/" in host or not host.isprintable() or " " in host:
            raise ValueError(
                "`host` must be a name or an address, such as localhost. "
                f"Received: {host!r}."
            )
        if not 0 < timeout_s <= _LONGEST_S:
            raise ValueError(
                f"`timeout_s` must be above 0 and at most {_LONGEST_S}. "
                f"Received: {timeout_s}."
            )
        self.model_name = model_name
        self.host = host
        self.port = self.default_port if port is None else port
        self.version = version
        self.version_label = version_label
        self.timeout_s = timeout_s
        self._signatures = None

    @property
    def place(self):
        """Names the server, for messages."""
        return f"{self.host}:{self.port}"

    def signature(self, name="serving_default"):
        """Return a `Signature` of the model.

        Args:
            name: str.

        Raises:
            ServerError: the server or the model cannot be asked, or it has
                no such signature.
        """
        if self._signatures is None:
            self._signatures = _until_available(self.read_signatures)
        return signature_of(self._signatures, name)

    def predict(self, inputs, signature="serving_default"):
        """Asks.

        Args:
            inputs: dict from the names of the signature's inputs to lists
                with an item for each row: str, or lists of str, or lists of
                int. Bytes that are no UTF-8 stand in a str as Python's
                "surrogateescape" writes them.
            signature: str.

        Returns:
            A dict from the names of the outputs to lists with an item for
            each row; strings are such str.

        Raises:
            ValueError: the inputs are not those of the signature.
            ServerError: the server cannot be asked, or it refuses; it says
                why.
        """
        signature = self.signature(signature)
        signature.check(inputs)
        outputs = _until_available(lambda: self.ask(signature, inputs))
        num_rows = len(next(iter(inputs.values())))
        for name in signature.outputs:
            values = outputs.get(name)
            if not isinstance(values, list) or len(values) != num_rows:
                raise ServerError(
                    f"{self.place} must give {num_rows} row(s) of {name!r}, "
                    "one for each asked. Received: "
                    f"{len(values) if isinstance(values, list) else 'no list'}."
                )
        return {name: outputs[name] for name in signature.outputs}

    def read_signatures(self):
        """Reads what the model has, a dict from names to `Signature`."""
        raise NotImplementedError

    def ask(self, signature, inputs):
        """Asks a `Signature` once, with inputs that fit.

        Args and results are those of `predict`, not yet checked.
        """
        raise NotImplementedError


def _until_available(ask):
    for wait in _WAITS_S:
        try:
            return ask()
        except Unavailable as error:
            logging.warning("%s Asking again in %g s.", error, wait)
            time.sleep(wait)
    return ask()


def answered_rows(client, rows, signature="serving_default", batch_size=32):
    """Yields the answer to each row.

    Rows are read as answers are asked for, so there may be any number.

    Args:
        client: `RestClient` or `GrpcClient`.
        rows: iterable of pairs of a name of the row, str, for messages, and a
            dict from the inputs of the signature to their values.
        signature: str.
        batch_size: int, most rows in one request. Rows of lists go together
            only where these are of like lengths.

    Yields:
        A dict from the outputs of the signature to their values.

    Raises:
        ValueError: a row is not what the signature takes.
        ServerError: the server cannot be asked, or refuses.
    """
    for _, alike in itertools.groupby(rows, lambda pair: _lengths(pair[1])):
        while batch := [*itertools.islice(alike, batch_size)]:
            yield from _answers(client, batch, signature)


def _lengths(row):
    """Measures what rows of one request must have in common."""
    return {name: _shape(value) for name, value in row.items()}


def _shape(value):
    if not isinstance(value, list):
        return ()
    return (len(value), *(_shape(value[0]) if value else ()))


def _answers(client, batch, signature):
    places, rows = zip(*batch, strict=True)
    inputs = {name: [row.get(name) for row in rows] for name in rows[0]}
    try:
        outputs = client.predict(inputs, signature)
    except ServerError as error:
        raise type(error)(f"{_range(places)}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{_range(places)}: {error}") from None
    for values in zip(*outputs.values(), strict=True):
        yield dict(zip(outputs, values, strict=True))


def _range(places):
    if len(places) == 1:
        return places[0]
    return f"{places[0]} to {places[-1]}"
