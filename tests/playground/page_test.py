"""The page through its API, and the requests that the server accepts."""

import concurrent.futures
import re
import sys
import urllib.parse

import httpx
import pytest

from keras_bert.playground.server import check_installed
from keras_bert.playground.server import check_port
from keras_bert.playground.tabs import TABS

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def address(serve, directories):
    return serve(directories["bert"])


@pytest.fixture(scope="module")
def client(address):
    from gradio_client import Client

    client = Client(address, verbose=False, analytics_enabled=False)
    yield client
    client.close()


def test_each_tab_answers_by_its_name(client, shown):
    model = shown("bert")
    for tab in TABS:
        if not tab.missing_part(model):
            values = [field.value for field in tab.fields(model)]
            if tab.name == "task":
                values = ["the [MASK]"]
            shown_html = client.predict(*values, api_name=f"/{tab.name}")
            assert "refusal" not in shown_html, tab.name
            assert re.search("<(table|div|p)", shown_html)


def test_hostile_text_comes_back_as_text(client):
    asked = "<script>x</script>", "Attention", "a", ""
    html = client.predict(*asked, api_name="/compare")
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    html = client.predict("", "the", api_name="/similarity")
    assert html == (
        '<p class="refusal" role="alert">The field &quot;First text&quot; is '
        "empty. Enter a text.</p>"
    )


def test_visitors_at_once_get_their_own_answers(client):
    words = ["the", "dog", "cat", "bird", "fish", "meat"] * 3

    def ask(word):
        return client.predict(word, "", api_name="/input_representation")

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for word, html in zip(words, pool.map(ask, words)):
            assert f"{word}, at position 1" in html
            others = {*words} - {word}
            assert not any(f"{x}, at position" in html for x in others)


def test_the_page_names_no_other_host_to_load_from(address):
    page = httpx.get(address)
    loaded = re.findall(
        r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=\"([^\"]*)",
        page.text,
    )
    assert loaded
    own = urllib.parse.urlsplit(address).netloc
    assert own.startswith("127.0.0.1:")  # It listens to this machine only.
    assert {urllib.parse.urlsplit(x).netloc for x in loaded} <= {"", own}
    assert "fonts.g" not in page.text
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'self' data: blob:")
    assert "connect-src 'self'" in policy


def test_nothing_is_uploaded_or_overlong_or_read_from_the_disk(address):
    files = {"files": ("a.txt", b"a")}
    for path in ("gradio_api/upload", "upload", "gradio_api/upload/"):
        assert httpx.post(f"{address}{path}", files=files).status_code == 403
    long = b"x" * (1 << 21)
    join = f"{address}gradio_api/queue/join"
    assert httpx.post(join, content=long).status_code == 413
    pieces = iter([b"{}"])  # Unknown length.
    assert httpx.post(join, content=pieces).status_code == 413
    read = httpx.get(f"{address}gradio_api/file=/etc/hostname")
    assert read.status_code in (403, 404)


def test_a_port_that_is_taken_and_a_missing_gradio_are_told(
    address, monkeypatch
):
    port = urllib.parse.urlsplit(address).port
    with pytest.raises(ValueError, match=f"free port.*port={port}"):
        check_port(port)
    check_port(0)
    monkeypatch.setitem(sys.modules, "gradio", None)
    with pytest.raises(ModuleNotFoundError, match=r"bert-tf\[playground\]"):
        check_installed()
