"""Middleware that restricts the requests of the page."""

from starlette.responses import PlainTextResponse

_MAX_BODY_BYTES = 1 << 20

# The browser must not contact other hosts. Scripts and styles are inline, and
# Gradio compiles its templates with `eval`.
_POLICY = (
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; "
    "connect-src 'self' data: blob:; form-action 'none'; base-uri 'self'; "
    "object-src 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
}


class Guard:
    """ASGI middleware that blocks other hosts, uploads and long requests.

    A content security policy forbids the browser to contact other hosts.

    Args:
        app: the ASGI application to protect.
    """

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        is_known = length.isdigit() and b"transfer-encoding" not in headers
        app = self.app
        if scope["path"].rstrip("/").endswith("/upload"):
            app = PlainTextResponse("Uploads are not allowed.", 403)
        elif not is_known or int(length) > _MAX_BODY_BYTES:
            app = PlainTextResponse("The request is too long.", 413)

        async def send_with_headers(message):
            if message["type"] == "http.response.start":
                own = [(k.encode(), v.encode()) for k, v in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        await app(scope, receive, send_with_headers)
