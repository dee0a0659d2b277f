"""TensorFlow Serving by REST, with the standard library."""

import http.client
import json
import socket
import time
import urllib.parse

from keras_bert.serving.client import MOST_BYTES
from keras_bert.serving.client import Client
from keras_bert.serving.errors import ServerError
from keras_bert.serving.errors import Unavailable
from keras_bert.serving.errors import shown
from keras_bert.serving.signature import Signature
from keras_bert.serving.signature import TensorForm
from keras_bert.serving.strings import to_json

_BLOCK_BYTES = 1 << 16
_HINT = "Its REST port is mostly 8501, that of gRPC 8500"
_SETTINGS = "\x04\0"  # Of the frame that HTTP/2, and so gRPC, begins with.


class RestClient(Client):
    """Asks a model of a TensorFlow Serving server by REST.

    Args:
        model_name: str, the name of the model on the server.
        host: str, a name or an address.
        port: int, 8501 by default.
        version: int, version of the model; by default the newest one.
        version_label: str, the label of a version instead.
        timeout_s: float, seconds to wait for one answer.

    Example:

    >>> client = keras_bert.serving.RestClient("scores")
    >>> client.predict({"text": ["a fine film"]})["score"]
    [4.5]

    References:
        [REST](https://www.tensorflow.org/tfx/serving/api_rest)
    """

    default_port = 8501

    def read_signatures(self):
        answer = self._answer("GET", "/metadata")
        try:
            found = answer["metadata"]["signature_def"]["signature_def"]
            return {
                name: Signature(
                    name,
                    {key: _form(x) for key, x in values["inputs"].items()},
                    tuple(sorted(values["outputs"])),
                )
                for name, values in found.items()
                if not name.startswith("__")
            }
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._stranger(f"{answer}") from None

    def ask(self, signature, inputs):
        """Ask a `Signature` once.

        :meta private:
        """
        request = {
            "signature_name": signature.name,
            "inputs": {name: to_json(x) for name, x in inputs.items()},
        }
        answer = self._answer("POST", ":predict", json.dumps(request))
        if "outputs" not in answer:
            raise self._stranger(f"{answer}")
        outputs = answer["outputs"]
        # The server does not name an output that is the only one.
        if not isinstance(outputs, dict):
            outputs = dict.fromkeys(signature.outputs[:1], outputs)
        return outputs

    def _path(self):
        path = f"/v1/models/{urllib.parse.quote(self.model_name, safe='')}"
        if self.version is not None:
            return f"{path}/versions/{self.version}"
        if self.version_label is not None:
            label = urllib.parse.quote(self.version_label, safe="")
            return f"{path}/labels/{label}"
        return path

    def _answer(self, method, action, body=None):
        connection = http.client.HTTPConnection(
            self.host, self.port, timeout=self.timeout_s
        )
        deadline = time.monotonic() + self.timeout_s
        try:
            connection.request(method, self._path() + action, body)
            response = connection.getresponse()
            data = self._body(response, deadline)
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise self._failure(error) from None
        finally:
            connection.close()
        return self._checked(response, data)

    def _body(self, response, deadline):
        """Reads all bytes of an answer, if they are not too many."""
        data = bytearray()
        while block := response.read1(_BLOCK_BYTES):
            data += block
            if len(data) > MOST_BYTES:
                raise ServerError(
                    f"The answer of {self.place} must be at most {MOST_BYTES} "
                    "bytes. Received: more. Ask for fewer rows at once."
                )
            if time.monotonic() > deadline:
                raise TimeoutError
        length = response.getheader("Content-Length")
        if length is not None and int(length) != len(data):
            raise http.client.IncompleteRead(bytes(data), int(length))
        return bytes(data)

    def _failure(self, error):
        """Says in our words what has become of a connection."""
        if isinstance(error, TimeoutError):
            return ServerError(
                f"{self.place} must answer within {self.timeout_s:g} s. "
                "Received: no whole answer."
            )
        if isinstance(error, (socket.gaierror, UnicodeError)):
            return ServerError(
                f"The host {self.host!r} must have an address. Received: "
                f"{error}."
            )
        if isinstance(error, http.client.IncompleteRead):
            return ServerError(
                f"The answer of {self.place} must be whole. Received: "
                f"{len(error.partial)} bytes, then the connection ended."
            )
        if isinstance(error, ConnectionError):
            reason = error.strerror or f"{error}" or type(error).__name__
            return Unavailable(
                f"No server answers at {self.place}: {shown(reason)}. {_HINT}."
            )
        if isinstance(error, OSError):
            return ServerError(
                f"{self.place} cannot be reached: {shown(f'{error}')}."
            )
        line = getattr(error, "line", "")  # Of what is no HTTP/1.
        if line[3:5] == _SETTINGS:
            return ServerError(
                f"{self.place} speaks gRPC, not REST. Use GrpcClient "
                "(protocol='grpc'), or the REST port, usually 8501."
            )
        return self._stranger(f"{error}")

    def _checked(self, response, data):
        """Takes the object that an answer holds."""
        text = data.decode("utf-8", "surrogateescape")
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            answer = None
        if response.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
            reason = answer["error"] if _is_error(answer) else text
            raise Unavailable(
                f"{self.place} is not ready: {shown(f'{reason}')}."
            )
        if _is_error(answer):
            raise ServerError(
                f"{self.place} refuses to answer for the model "
                f"{self.model_name!r}: {shown(answer['error'])}"
            )
        if response.status != http.HTTPStatus.OK or not isinstance(
            answer, dict
        ):
            raise self._stranger(f"HTTP {response.status}, {text}")
        return answer

    def _stranger(self, received):
        return ServerError(
            f"{self.place} must be the REST port of TensorFlow Serving. "
            f"{_HINT}. Received: {shown(received)}."
        )


def _is_error(answer):
    return isinstance(answer, dict) and isinstance(answer.get("error"), str)


def _form(values):
    shape = values["tensor_shape"]
    rank = None if shape.get("unknown_rank") else len(shape.get("dim", []))
    return TensorForm(values["dtype"].removeprefix("DT_").lower(), rank)
