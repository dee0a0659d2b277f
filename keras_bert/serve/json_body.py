"""Bodies of requests: their size and type."""

import typing

import starlette.responses
import starlette.types


class JsonBody:
    """ASGI middleware that answers 413 to bodies over a limit.

    Bodies are read as JSON, whatever their type is, as TensorFlow Serving does.

    Args:
        app: the application.
        max_bytes: maximum number of bytes.
    """

    def __init__(self, app: starlette.types.ASGIApp, max_bytes: int):
        self._app, self._max_bytes = app, max_bytes

    async def __call__(
        self,
        scope: starlette.types.Scope,
        receive: starlette.types.Receive,
        send: starlette.types.Send,
    ) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body: list[bytes] = []
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body.append(message.get("body", b""))
            more = message.get("more_body", False)
            if sum(map(len, body)) > self._max_bytes:
                error = f"The body must have at most {self._max_bytes} bytes."
                answer = starlette.responses.JSONResponse({"error": error}, 413)
                await answer(scope, receive, send)
                return

        async def whole_body() -> typing.Any:
            if body:
                content = b"".join(body)
                body.clear()
                return {"type": "http.request", "body": content}
            return await receive()

        headers = [x for x in scope["headers"] if x[0] != b"content-type"]
        headers.append((b"content-type", b"application/json"))
        await self._app({**scope, "headers": headers}, whole_body, send)
