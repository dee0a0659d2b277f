"""REST client for TensorFlow Serving.

This module needs neither TensorFlow nor Keras.
"""

import base64
import contextlib
import http.client
import json
import time
import urllib.error
import urllib.request

from absl import logging

_WAITS_S = (0.25, 0.5, 1.0, 2.0)
_MAX_CHARACTERS = 500
_UNAVAILABLE = 503


class ServerError(ValueError):
    """Error for a server that does not respond or rejects a request."""


def query(url, inputs, signature="serving_default", timeout_s=60.0):
    """Send a prediction request to a served model.

    If the server is unreachable or not ready, the request is retried four times
    within four seconds.

    Args:
        url: str, address of the model, such as
            "http://localhost:8501/v1/models/mood". Append "/versions/2" or
            "/labels/canary" to select a version.
        inputs: dict mapping the names of the inputs to lists with an item for
            each example: str, int, or a list of these. To send bytes that are
            not UTF-8, decode them to str with `errors="surrogateescape"`.
        signature: str, name of the signature.
        timeout_s: float, number of seconds to wait for a response.

    Returns:
        Dict mapping the names of the outputs to lists with an item for each
        example.

    Raises:
        ServerError: the server does not respond, or it rejects the request.

    Example:

    >>> url = "http://localhost:8501/v1/models/scores"
    >>> keras_bert.serving.query(url, {"text": ["a fine film"]})["score"]
    [4.5]

    References:
        [REST](https://www.tensorflow.org/tfx/serving/api_rest)
    """
    request = {"signature_name": signature, "inputs": _to_json(inputs)}
    data = json.dumps(request).encode()
    answer = _ask(f"{url}:predict", timeout_s, data)
    try:
        outputs = answer["outputs"]
        if not isinstance(outputs, dict):
            # The server omits the name of a single output.
            found = _ask(f"{url}/metadata", timeout_s)["metadata"]
            signatures = found["signature_def"]["signature_def"]
            outputs = dict.fromkeys(signatures[signature]["outputs"], outputs)
    except (KeyError, TypeError):
        raise ServerError(
            f"{url} must be the URL of a model in TensorFlow Serving. "
            f"Received: {answer!r:.{_MAX_CHARACTERS}}."
        ) from None
    return outputs


def _ask(url, timeout_s, data=None):
    for wait in (*_WAITS_S, None):
        try:
            return _ask_once(url, timeout_s, data)
        except ConnectionError as error:
            if wait is None:
                raise ServerError(f"{error}") from None
            logging.warning("%s Trying again in %g s.", error, wait)
            time.sleep(wait)


def _ask_once(url, timeout_s, data):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, data, timeout_s) as response:
            text = response.read().decode("utf-8", "surrogateescape")
        return json.loads(text)
    except urllib.error.HTTPError as error:
        message = f"{url} returned HTTP {error.code}: {_reason(error)}"
        if error.code == _UNAVAILABLE:
            raise ConnectionError(message) from None
        raise ServerError(message) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        message = (
            f"{url} does not answer: {error}. The REST port of TensorFlow "
            "Serving is usually 8501."
        )
        if isinstance(getattr(error, "reason", None), ConnectionError):
            raise ConnectionError(message) from None
        raise ServerError(message) from None


def _reason(error):
    """Return the server's message as one printable line."""
    text = error.read().decode("utf-8", "replace")
    with contextlib.suppress(ValueError, TypeError, KeyError):
        text = json.loads(text)["error"]
    text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())[:_MAX_CHARACTERS]


def _to_json(value):
    """Encode bytes that are not UTF-8 in base64 for TensorFlow Serving."""
    if isinstance(value, dict):
        return {name: _to_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    if isinstance(value, str) and not value.isascii():
        data = value.encode("utf-8", "surrogateescape")
        if data.decode("utf-8", "replace") != value:
            return {"b64": base64.b64encode(data).decode()}
    return value
