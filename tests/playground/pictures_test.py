"""Data as HTML."""

import base64
import html
import io
import json
import re

import numpy as np
import pytest

from keras_bert.playground.markup import Html
from keras_bert.playground.markup import element
from keras_bert.playground.markup import png_address
from keras_bert.playground.tab import TextField
from keras_bert.playground.tabs.attention import Attention
from keras_bert.playground.tabs.attention import attention_picture
from keras_bert.playground.tabs.embeddings import TextMap
from keras_bert.playground.tabs.embeddings import map_picture
from keras_bert.playground.tabs.left_to_right import TAB as LEFT_TO_RIGHT
from keras_bert.playground.tabs.tasks import Answer
from keras_bert.playground.tabs.tasks import answer_picture

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


def test_an_image_holds_its_numbers():
    from PIL import Image

    address = png_address(np.array([[1.0, -0.5], [0.0, 9.0]]), 1.0)
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    pixels = np.array(Image.open(io.BytesIO(data)))
    assert pixels[..., 3].tolist() == [[255, 127], [0, 255]]
    assert pixels[0, 0, 2] > pixels[0, 0, 0]  # Blue.
    assert pixels[0, 1, 0] > pixels[0, 1, 2]  # Orange.


def test_occlusion_has_the_same_colours_in_every_text():
    def shade(share):
        picture = answer_picture(Answer("Label: a", shares=[("x", share)]))
        assert "full color is 2 or more" in picture
        return re.search(r"background:rgba\((.*?)\)", picture)[1]

    assert shade(2.0) == shade(5.0) == "59,130,246,0.80"
    assert shade(-0.5) == "234,88,12,0.20"


def test_clicks_open_heads_and_texts():
    weights = np.ones((2, 1, 1, 1), np.float32)
    attention = Attention(["a"], weights, weights[..., 0, 0], 0, 0, "")
    heads = re.findall('data-set="(.*?)"', attention_picture(attention))
    assert [json.loads(html.unescape(x)) for x in heads] == [
        {"layer": 1, "head": 1},
        {"layer": 2, "head": 1},
    ]
    places = np.array([[0.0, 1], [1, 0], [2, 2]])
    nearest = [[(1, 0.5)], [(2, 0.5)], [(0, 0.5)]]
    text_map = TextMap(["a", "b", "c"], places, [0.5, 0.5], nearest)
    panels = map_picture(text_map).split('class="panel"')[1:]
    for panel in panels:  # The numbers are button indices, from 0.
        assert sorted(re.findall('data-pick="(.)"', panel)) == ["0", "1", "2"]


@pytest.mark.smoke("bert", "tagger")
@pytest.mark.parametrize(
    "name", ["bert", "classifier", "answerer", "tagger", "chooser"]
)
def test_no_text_of_a_visitor_becomes_markup(shown, own_tabs, name):
    model = shown(name)
    for tab in own_tabs(name):
        given = {
            field.name: f"[MASK] {_HOSTILE}\n\n{_HOSTILE}\n{_HOSTILE}"
            for field in tab.fields(model)
            if isinstance(field, TextField) and field.name != "directory"
        }
        if tab.name == "next_sentence":  # With such a short limit.
            given["label"] = "NotNext"
        shown_html = tab.picture(tab.ask(model, **given))
        assert "<script" not in shown_html
        assert "<img src=x" not in shown_html


def test_no_text_of_a_visitor_becomes_markup_both_ways(shown_beside):
    text = "<script>x</script> [MASK] <script>y</script>"
    picture = LEFT_TO_RIGHT.picture(LEFT_TO_RIGHT.ask(shown_beside, text=text))
    assert picture.count("&lt;script&gt;") == 5
    assert "<script" not in picture
