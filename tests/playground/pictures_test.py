"""Data as HTML."""

import base64
import io

import numpy as np
import pytest

from keras_bert.playground.markup import Html
from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import picker
from keras_bert.playground.markup import png_address

_HOSTILE = "<script>x</script><img src=x onerror=x> \"'& the dog"


def test_text_is_escaped_and_markup_is_not():
    inner = element("b", "<i>")
    assert inner == "<b>&lt;i&gt;</b>"
    assert isinstance(inner, Html)
    assert element("p", inner, 7) == "<p><b>&lt;i&gt;</b>7</p>"
    assert element("p", class_='"x', aria_label="<", style=None) == (
        '<p class="&quot;x" aria-label="&lt;"></p>'
    )
    assert element("img", src="a") == '<img src="a">'


def test_a_bar_stays_within_its_frame():
    assert "width:100.0%" in bar(7.0)
    assert "width:0.0%" in bar(-1.0)


def test_one_of_a_picker_is_chosen():
    made = picker([("a", "1"), ("b", "2")], chosen=1)
    assert made.count("<input") == 2
    assert made.count("checked=") == 1
    assert made.index("checked") > made.index(">a<")


def test_an_image_holds_its_numbers():
    image = pytest.importorskip("PIL.Image")
    address = png_address(np.array([[1.0, -0.5], [0.0, 9.0]]), 1.0)
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    pixels = np.array(image.open(io.BytesIO(data)))
    assert pixels[..., 3].tolist() == [[255, 127], [0, 255]]
    assert pixels[0, 0, 2] > pixels[0, 0, 0]  # Blue.
    assert pixels[0, 1, 0] > pixels[0, 1, 2]  # Orange.


@pytest.mark.smoke("bert", "tagger")
@pytest.mark.parametrize(
    "name", ["bert", "classifier", "answerer", "tagger", "chooser"]
)
def test_no_text_of_a_visitor_becomes_markup(shown, own_tabs, name):
    model = shown(name)
    for tab in own_tabs(name):
        given = {field.name: field.value for field in tab.fields(model)}
        for field in ("text", "pair", "first", "second", "context"):
            if field in given:
                given[field] = f"{_HOSTILE}\n\n{_HOSTILE}\n{_HOSTILE}"
        if tab.name == "next_sentence":  # Of so short a limit.
            given["label"] = "NotNext"
        if tab.name == "fill_mask":
            given["text"] = "[MASK] <script>x</script>"
        if "choices" in given:
            given["choices"] = f"{_HOSTILE}\n{_HOSTILE}"
        html = tab.picture(tab.answer(model, **given))
        assert "<script" not in html
        assert "<img src=x" not in html
