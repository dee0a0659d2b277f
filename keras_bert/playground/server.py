"""The page, served on this machine and to this machine only."""

import importlib
import logging
import os
import pathlib
import socket

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
HOST = "127.0.0.1"
_STYLE, _SCRIPT = (
    pathlib.Path(__file__).with_name(name) for name in ("style.css", "page.js")
)


def check_installed():
    """Import Gradio, without the question for its newest version."""
    # Gradio reads it once, while it is imported.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    try:
        importlib.import_module("gradio")
    except ModuleNotFoundError as error:
        if error.name != "gradio":
            raise
        raise ModuleNotFoundError(
            "The playground needs the package gradio, which is not installed "
            "here. Try: pip install 'keras-bert-tf[playground]'",
            name="gradio",
        ) from None


def check_port(port):
    """Raise ValueError if a port is taken; 0 stands for any free port."""
    with socket.socket() as probe:
        # As servers do: what was closed just now is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ValueError(
                f"`port` must be a free port. Received: port={port}: "
                f"{error.strerror}. Choose another one, or omit it."
            ) from None


def launch(model, tabs, port=0, opens_browser=False):
    """Serve the page in threads of its own.

    Args:
        model: `ShownModel`.
        tabs: list of `Tab`.
        port: int; 0 takes the first free one from 7860 on.
        opens_browser: bool, show it, if there is a browser.

    Returns:
        The `gradio.Blocks`, to be closed, and its address.
    """
    check_installed()
    check_port(port)
    import gradio as gr
    from starlette.middleware import Middleware

    from keras_bert.playground.page import make_page

    # Its client logs requests to this very server.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    page = make_page(model, tabs)
    fonts = ["system-ui", "sans-serif"], ["ui-monospace", "monospace"]
    _, address, _ = page.launch(
        server_name=HOST,
        server_port=port or None,
        share=False,
        inbrowser=opens_browser,
        prevent_thread_lock=True,
        quiet=True,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        theme=gr.themes.Default(font=fonts[0], font_mono=fonts[1]),
        css_paths=[_STYLE],
        head=f"<script>{_SCRIPT.read_text(encoding='utf-8')}</script>",
        app_kwargs={"middleware": [Middleware(Guard)]},
    )
    return page, address


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
