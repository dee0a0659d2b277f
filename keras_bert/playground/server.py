"""Local server for the page."""

import logging
import os
import pathlib
import socket

from keras_bert import lazy

HOST = "127.0.0.1"
_STYLE, _SCRIPT = (
    pathlib.Path(__file__).with_name(name) for name in ("style.css", "page.js")
)


def check_installed():
    """Import Gradio without its check for a newer version."""
    # Gradio reads this variable only when it is imported.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    lazy.import_package("gradio", "The playground")


def check_port(port):
    """Raise ValueError if a port is in use; 0 means any free port."""
    with socket.socket() as probe:
        # Count a recently closed port as free, as servers do.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ValueError(
                f"`port` must be a free port. Received: port={port}: "
                f"{error.strerror}. Choose another port, or omit `port`."
            ) from None


def launch(model, tabs, port=0, opens_browser=False):
    """Serve the page in background threads.

    Args:
        model: `PlaygroundModel`.
        tabs: list of `Tab`.
        port: int, port number; 0 selects the first free port from 7860.
        opens_browser: bool, whether to open the page if there is a browser.

    Returns:
        The `gradio.Blocks`, which the caller closes, and the URL.
    """
    check_installed()
    check_port(port)
    import gradio as gr
    from starlette.middleware import Middleware

    from keras_bert.playground.guard import Guard
    from keras_bert.playground.page import make_page

    # Gradio's client logs its requests to this server.
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
