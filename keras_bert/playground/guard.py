"""Limits on what the server accepts and what the browser may load."""

_MAX_BODY_BYTES = 1 << 20

# Nothing is loaded from or sent to another machine. The page brings scripts
# and styles of its own in line, and makes functions of its templates.
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
    """ASGI middleware that keeps the page on this machine.

    It forbids browsers to load anything from elsewhere, and refuses uploads and
    long requests.

    Args:
        app: the ASGI application behind it.
    """

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["path"].rstrip("/").endswith("/upload"):
            await _refuse(send, 403, b"This page takes no files.")
        elif _num_bytes(scope) > _MAX_BODY_BYTES:
            await _refuse(send, 413, b"The request is too long.")
        else:
            await self.app(scope, receive, _with_headers(send))


def _num_bytes(scope):
    """The declared length of a request; too much where it is unknown."""
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return _MAX_BODY_BYTES + 1
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() else _MAX_BODY_BYTES + 1


def _with_headers(send):
    async def send_with_headers(message):
        if message["type"] == "http.response.start":
            own = [(k.encode(), v.encode()) for k, v in _HEADERS.items()]
            message = {**message, "headers": [*message["headers"], *own]}
        await send(message)

    return send_with_headers


async def _refuse(send, status, text):
    headers = [(b"content-type", b"text/plain")]
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": headers})
    await send({"type": "http.response.body", "body": text})
