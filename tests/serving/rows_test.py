"""Rows from flags and files."""

import pytest

from keras_bert.serving.rows import file_rows
from keras_bert.serving.rows import given_rows
from keras_bert.serving.signature import Signature
from keras_bert.serving.signature import TensorForm

_TEXT = TensorForm("string", 1)
_ONE = Signature("one", {"text": _TEXT}, ("score",))
_TWO = Signature("two", {"question": _TEXT, "context": _TEXT}, ("answer",))
_LISTS = Signature(
    "lists", {"text": _TEXT, "choices": TensorForm("string", 2)}, ("choice",)
)
_IDS = Signature("ids", {"input_ids": TensorForm("int32", 2)}, ("score",))


def test_texts_of_flags_are_rows():
    rows = given_rows({"question": ["a", "b"], "context": ["c", "d"], "x": []})
    assert rows == [
        ("row 1", {"question": "a", "context": "c"}),
        ("row 2", {"question": "b", "context": "d"}),
    ]
    rows = given_rows({"text": ["a"]}, ["b", "c"])
    assert rows == [("row 1", {"text": "a", "choices": ["b", "c"]})]
    assert given_rows({"text": []}) == []


@pytest.mark.parametrize(
    "texts, choices, message",
    [
        ({"text": ["a"], "text_pair": []}, ["b"], None),
        (
            {"text": ["a", "b"], "text_pair": ["c"]},
            [],
            "{'text': 2, 'text_pair': 1}",
        ),
        ({"text": ["a", "b"]}, ["c"], r"'choices \(of one row\)': 1"),
    ],
)
def test_texts_of_flags_belong_together(texts, choices, message):
    if message is None:
        assert len(given_rows(texts, choices)) == 1
    else:
        with pytest.raises(ValueError, match=message):
            given_rows(texts, choices)


@pytest.mark.parametrize(
    "name, data, signature, expected",
    [
        (
            "a.txt",
            b"\xef\xbb\xbfa dog\r\n\n\xff\0\r\nlast",
            _ONE,
            [{"text": x} for x in ("a dog", "", "\udcff\0", "last")],
        ),
        ("a.txt", b"", _ONE, []),
        (
            "a.CSV",
            b'context,more,question\n"c, d",x,q\n',
            _TWO,
            [{"question": "q", "context": "c, d"}],
        ),
        ("a.tsv", b'text\n"\xc3\xb6\n', _ONE, [{"text": '"ö'}]),
        (
            "a.jsonl",
            b'{"text": {"b64": "/w=="}, "choices": ["a", {"b64": "YQ=="}]}\n',
            _LISTS,
            [{"text": "\udcff", "choices": ["a", "a"]}],
        ),
        (
            "a.jsonl",
            b'{"input_ids": [1, 2], "else": 0}\n\n',
            _IDS,
            [{"input_ids": [1, 2]}],
        ),
    ],
)
def test_files_are_read(tmp_path, name, data, signature, expected):
    (tmp_path / name).write_bytes(data)
    rows = [*file_rows(str(tmp_path / name), signature)]
    assert [row for _, row in rows] == expected
    assert all(place.startswith(f"{tmp_path}/a.") for place, _ in rows)


@pytest.mark.parametrize(
    "name, data, signature, message",
    [
        ("a.txt", b"a\n", _TWO, "takes question, context. Write a .csv"),
        ("a.txt", b"a\n", _LISTS, "'choices' .* must stand in a .jsonl"),
        ("a.csv", b"a\n", _IDS, "'input_ids' .* must stand in a .jsonl"),
        ("a.csv", b"question\nb\n", _TWO, "column 'context' once"),
        ("a.csv", b"text\n\xff\n", _ONE, "line 2, must be UTF-8"),
        ("a.csv", b"text,b\na\n", _ONE, r"line 2, must have 2 field\(s\)"),
        ("a.tsv", b"", _ONE, "column 'text' once"),
        ("a.jsonl", b"a dog\n", _ONE, "line 1, must be a JSON object.*a dog"),
        ("a.jsonl", b'{"txt": 1}\n', _ONE, "have the key 'text'.*: 'txt'"),
        ("a.jsonl", b"[" * 10_000, _ONE, "line 1, must be a JSON object"),
        (
            "a.jsonl",
            b'{"text": {"b64": "%"}}\n',
            _ONE,
            "line 1, 'b64' must be base64. Received: '%'",
        ),
        ("a.png", b"", _ONE, "must be a .txt, .csv, .tsv or .jsonl.*a.png"),
    ],
)
def test_files_at_fault_are_named(tmp_path, name, data, signature, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=message):
        [*file_rows(str(tmp_path / name), signature)]
