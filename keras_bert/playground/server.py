"""The page, served on this machine and to this machine only."""

import importlib
import logging
import os
import pathlib
import socket

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

    from keras_bert.playground.guard import Guard
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
