"""The program from the command line."""

import shutil

import pytest

import keras_bert

pytest.importorskip("gradio")
httpx = pytest.importorskip("httpx")


@pytest.mark.exhaustive
def test_the_program_shows_the_tiny_model(serve):
    page = httpx.get(serve(keras_bert.TINY_MODEL))
    assert page.status_code == 200
    assert "BERT playground" in page.text


@pytest.mark.exhaustive
def test_a_name_is_fetched_from_the_hub(
    directories, serve, tmp_path, monkeypatch
):
    cached = tmp_path / "models--some--model"  # Like after a download.
    shutil.copytree(directories["bert"], cached / "snapshots" / "1")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    page = httpx.get(serve("some/model"))
    assert "some/model: BERT, 2 layers" in page.text
