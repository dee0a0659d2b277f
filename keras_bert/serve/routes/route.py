"""Base class of routes, which answers errors in the form of an API."""

import hmac
import time
import typing
from collections.abc import Callable

import fastapi
import fastapi.exceptions
import fastapi.routing
import prometheus_client
import starlette.exceptions
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
                    response = await handle(request)
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
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    given = given or request.headers.get("x-api-key", "")
    if not hmac.compare_digest(given.encode(), key.encode()):
        raise RequestError(401, "The API key is missing or wrong.")


def _error_response(
    error: Exception, path: str, form: ErrorForm
) -> fastapi.Response:
    if isinstance(error, fastapi.exceptions.RequestValidationError):
        error = _validation_error(error)
    elif isinstance(error, starlette.exceptions.HTTPException):
        error = RequestError(error.status_code, str(error.detail))
    elif not isinstance(error, RequestError):
        # The message may contain texts of the request.
        logging.error("%s: %s", path, type(error).__name__)
        error = RequestError(500, "The model failed.")
    headers = {"Retry-After": _RETRY_AFTER_S} if error.status == 429 else None
    return fastapi.responses.JSONResponse(form(error), error.status, headers)


def _validation_error(
    error: fastapi.exceptions.RequestValidationError,
) -> RequestError:
    first = error.errors()[0]
    _, *location = first["loc"]
    field = ".".join(str(x) for x in location if not isinstance(x, int))
    if first["type"] == "json_invalid" or not field:
        return RequestError(400, f"The body must be JSON: {first['msg']}.")
    return RequestError(400, f"`{field}`: {first['msg']}.", field)
