"""Base class of routes, which answers errors in the form of an API."""

import asyncio
import hmac
import time
import typing
from collections.abc import Callable

import fastapi
import fastapi.exceptions
import fastapi.routing
import prometheus_client
import starlette.exceptions
import starlette.requests
from absl import logging

from keras_bert.serve.server import RequestError
from keras_bert.serve.server import Server

ErrorForm: typing.TypeAlias = Callable[[RequestError], dict[str, typing.Any]]
"""Function that returns the JSON of an error."""

_REQUESTS = prometheus_client.Counter(
    "keras_bert_requests", "Number of requests.", ["route", "status"]
)
_SECONDS = prometheus_client.Histogram(
    "keras_bert_request_seconds", "Seconds from request to answer.", ["route"]
)
_RETRY_AFTER_S = "1"
# JSON may escape a character as 12 bytes.
_BYTES_PER_CHARACTER = 12


def make_router(error_form: ErrorForm) -> fastapi.APIRouter:
    """Return a router that counts requests and answers errors.

    Args:
        error_form: form of the errors.
    """

    class Route(fastapi.routing.APIRoute):
        def get_route_handler(self) -> Callable:
            handle, path = super().get_route_handler(), self.path

            async def answer(request: fastapi.Request) -> fastapi.Response:
                start = time.perf_counter()
                try:
                    _check_key(request)
                    response = await _while_connected(handle, request)
                except Exception as error:
                    response = _error_response(error, path, error_form)
                _REQUESTS.labels(path, str(response.status_code)).inc()
                _SECONDS.labels(path).observe(time.perf_counter() - start)
                return response

            return answer

    return fastapi.APIRouter(route_class=Route)


def server_of(request: fastapi.Request) -> Server:
    """Return the server of an application."""
    return request.app.state.server


def _check_key(request: fastapi.Request) -> None:
    key = server_of(request).options.api_key
    if key is None:
        return
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    given = [bearer if scheme.lower() == "bearer" else ""]
    given.append(request.headers.get("x-api-key", ""))
    # Starlette decodes headers as Latin-1.
    are_equal = [
        hmac.compare_digest(x.encode("latin-1"), key.encode()) for x in given
    ]
    if not any(are_equal):
        raise RequestError(401, "The API key is missing or wrong.")


async def _while_connected(
    handle: Callable, request: fastapi.Request
) -> fastapi.Response:
    """Handle a request, and cancel it if the client leaves."""
    body = await _body(request)

    async def receive() -> dict[str, typing.Any]:
        return {"type": "http.request", "body": body}

    # Bodies are JSON, whatever their type is, as in TensorFlow Serving.
    headers = [x for x in request.scope["headers"] if x[0] != b"content-type"]
    headers.append((b"content-type", b"application/json"))
    scope = {**request.scope, "headers": headers}
    answer = asyncio.ensure_future(handle(fastapi.Request(scope, receive)))
    left = asyncio.ensure_future(request.receive())
    await asyncio.wait((answer, left), return_when=asyncio.FIRST_COMPLETED)
    left.cancel()
    if not answer.done():
        answer.cancel()
        raise RequestError(499, "The client left.")
    return await answer


async def _body(request: fastapi.Request) -> bytes:
    options = server_of(request).options
    max_bytes = _BYTES_PER_CHARACTER * options.max_characters
    parts, num_bytes = [], 0
    async for part in request.stream():
        parts.append(part)
        num_bytes += len(part)
        if num_bytes > max_bytes:
            raise RequestError(
                413, f"The body must have at most {max_bytes} bytes."
            )
    return b"".join(parts)


def _error_response(
    error: Exception, path: str, form: ErrorForm
) -> fastapi.Response:
    if isinstance(error, fastapi.exceptions.RequestValidationError):
        error = _validation_error(error)
    elif isinstance(error, starlette.exceptions.HTTPException):
        error = RequestError(error.status_code, str(error.detail))
    elif isinstance(error, starlette.requests.ClientDisconnect):
        error = RequestError(499, "The client left.")
    elif not isinstance(error, RequestError):
        # The message may contain texts of the request.
        logging.error("%s: %s", path, type(error).__name__)
        error = RequestError(500, "The model failed.")
    headers = {"Retry-After": _RETRY_AFTER_S} if error.status == 429 else None
    # A message may quote half of a character.
    error.message = error.message.encode(errors="backslashreplace").decode()
    return fastapi.responses.JSONResponse(form(error), error.status, headers)


def _validation_error(
    error: fastapi.exceptions.RequestValidationError,
) -> RequestError:
    first = error.errors()[0]
    _, *location = first["loc"]
    field = str(location[0]) if location else ""
    if first["type"] == "json_invalid" or not field:
        return RequestError(400, f"The body must be JSON: {first['msg']}.")
    return RequestError(400, f"`{field}`: {first['msg']}.", field)
