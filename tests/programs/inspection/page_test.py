import base64

import pytest

from keras_bert.data.records.outcomes import KEPT
from keras_bert.data.records.outcomes import MASKED
from keras_bert.data.records.outcomes import PLAIN
from keras_bert.programs.inspection.page import make_page
from keras_bert.programs.inspection.shown_examples import ShownExample
from keras_bert.programs.inspection.shown_examples import ShownToken
from keras_bert.programs.inspection.summary import examples_text


@pytest.fixture
def example():
    tokens = [
        ShownToken("<a", PLAIN, False),
        ShownToken("[MASK→&]", MASKED, False),
    ]
    return ShownExample(
        "Record 0 of <x>", {"A": tokens, "B": []}, "B follows A"
    )


def test_what_the_records_hold_is_no_markup(example):
    page = make_page(b"png", "a & b", [("1 < 2", ">")], [example]).decode()
    for text in ("a &amp; b", "1 &lt; 2", "&gt;", "Record 0 of &lt;x&gt;"):
        assert text in page
    assert "&lt;a <span" in page and "[MASK→&amp;]</span>" in page
    assert base64.b64encode(b"png").decode() in page


def test_only_marks_that_are_shown_are_explained(example):
    page = make_page(b"", "a", [], [example]).decode()
    assert page.count("<li>") == 1
    assert "word hidden behind [MASK]" in page
    assert "<li>" not in make_page(b"", "a", [], []).decode()


def test_long_examples_are_wrapped_under_their_names():
    tokens = [ShownToken("word", KEPT, False)] * 30
    example = ShownExample("Record 0", {"A": tokens, "B": tokens}, "random")
    lines = examples_text([example], is_static=False).splitlines()
    assert lines[0] == "Record 0"
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("  A      word word")
    assert lines[2].startswith("         word")
    assert " ".join(lines).split().count("word") == 60


def test_marks_are_explained_where_there_are_any(example):
    assert "[MASK→word]" in examples_text([example], is_static=True)
    assert "[MASK→word]" not in examples_text([example], is_static=False)
