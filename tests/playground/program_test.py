"""The program from the command line."""

import pytest

import keras_bert

pytest.importorskip("gradio")
httpx = pytest.importorskip("httpx")


@pytest.mark.large
def test_the_program_shows_the_tiny_model(serve):
    page = httpx.get(serve(keras_bert.TINY_MODEL))
    assert page.status_code == 200
    assert "BERT playground" in page.text
