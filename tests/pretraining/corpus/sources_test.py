import gzip
import itertools
import json
import os
import random
import subprocess
import sys
import threading

import pytest

from keras_bert.pretraining.corpus import text_files
from keras_bert.pretraining.corpus.documents import read_documents
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.corpus.sources import open_sources
from keras_bert.pretraining.corpus.sources import source_documents


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        if name.endswith(".gz"):
            data = gzip.compress(data)
        path.write_bytes(data)
        return str(path)

    return write


@pytest.fixture
def set_sizes(monkeypatch):
    def set_sizes(chunk_bytes, block_bytes=1 << 22):
        monkeypatch.setattr(text_files, "CHUNK_BYTES", chunk_bytes)
        monkeypatch.setattr(text_files, "_BLOCK_BYTES", block_bytes)

    return set_sizes


def _documents(path, bad_lines=None):
    """Return the documents of the chunks; each chunk ends a document."""
    return [*source_documents(open_sources([path]), bad_lines)]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"one",
        b"\n\none\ntwo\n\n\n\nthree\n",
        b"one\r\ntwo\r\n\r\nthree\r\n\r\n",
        b"\xef\xbb\xbfone\n\ntwo\n \t\n\xef\xbb\xbfthree",
        b"\xef\xbb\xbf\n\none\n\n",
        b"one\n" * 20 + b"\n" + b"two\n\n" * 10,
        b"one\n" + b" \t\v\f\r\n" * 12 + b"two\n",
        "one\n\u3000\n二\n\xa0\n\nthree \xe9\n\n\n四".encode(),
        b"one\n\rtwo\r\rthree\n\r\r\nfour",
    ],
)
def test_chunks_of_any_size_hold_the_documents(write, set_sizes, text):
    path = write("a.txt", text)
    expected = [*read_documents([path])]
    for chunk_bytes in range(1, 61):
        for block_bytes in (1, 2, 3, 7, 1 << 20):
            set_sizes(chunk_bytes, block_bytes)
            assert _documents(path) == expected, (chunk_bytes, block_bytes)
    set_sizes(1, 7)
    assert _documents(write("a.txt.gz", text)) == expected


@pytest.mark.parametrize("chunk_bytes", [1, 30])
def test_chunks_are_about_as_long_as_wanted(write, set_sizes, chunk_bytes):
    path = write("a.txt", b"one\ntwo\n\n" * 50)
    set_sizes(chunk_bytes)
    (source,) = open_sources([path])
    chunks = source.chunks()
    assert (chunks[0][0], chunks[-1][1]) == (0, 450)
    for (first, end), (next_first, _) in itertools.pairwise(chunks):
        assert end == next_first
        assert chunk_bytes <= end - first < chunk_bytes + 2 * 9
    assert sum(source.num_bytes(chunk) for chunk in chunks) == 450


_OBJECTS = [
    {"text": "one\ntwo", "id": 1},
    {"id": 2, "text": "three\r\n\n \u3000\nfour é 中"},
    {"text": ""},
    {"text": "five"},
]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_json_line_is_a_document(write, set_sizes, name):
    lines = [json.dumps(value) for value in _OBJECTS]
    lines += ["", json.dumps(_OBJECTS[0], ensure_ascii=False)]
    path = write(name, "\r\n".join(lines).encode())
    expected = [
        [b"one", b"two"],
        [b"three", "four é 中".encode()],
        [b"five"],
        [b"one", b"two"],
    ]
    for chunk_bytes in (1, 5, 30, 60, 1000):
        set_sizes(chunk_bytes, 11)
        assert _documents(path) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "'{'.*JSONDecodeError"),
        ('{"body": "a"}', "its keys: 'body'"),
        ("{}", "its keys: none"),
        ('{"text": 3}', "'text' is not a string, but int"),
        ("[1]", r"'\[1\]'.*not an object, but list"),
        ('{"text": "a \\ud83d"}', r"an unpaired surrogate, '\\ud83d'"),
        ("[" * 100_000, "RecursionError"),
        ("中" * 100, "中中"),  # The split is within a character.
    ],
)
def test_a_bad_json_line_is_named(write, set_sizes, line, message):
    text = '{"text": "a"}\n\n{"text": "b"}\n' + line + '\n{"text": "c"}\n'
    for name in ("a.jsonl", "a.jsonl.gz"):
        path = write(name, text.encode())
        for chunk_bytes in (1, 1 << 20):
            set_sizes(chunk_bytes)
            with pytest.raises(ValueError, match=f"{name}, line 4,.*{message}"):
                _documents(path)


def test_bad_json_lines_are_skipped_and_counted(write, set_sizes):
    set_sizes(1)
    bad = ['{"text": "\\ud800"}', "[1]", '{"body": "a"}', "{", "no", "3"]
    good = [f'{{"text": "{number}"}}' for number in range(6)]
    lines = [line for pair in zip(good, bad) for line in pair]
    path = write("a.jsonl", "\n".join(lines).encode())
    bad_lines = BadLines()
    documents = _documents(path, bad_lines)
    assert documents == [[str(number).encode()] for number in range(6)]
    assert bad_lines.count == 6
    assert len(bad_lines.listed) == 5
    for number, message in enumerate(bad_lines.listed):
        assert f"{path}, line {2 * number + 2}, must be" in message


@pytest.mark.parametrize("end", [b"", b"ur\n\nfive\n"])
@pytest.mark.parametrize(
    ("bad", "message"),
    [(b"\0", "a NUL byte at offset {};"), (b"\xe9", "0xe9 at offset {}.")],
)
def test_bad_bytes_are_named_by_their_offset(
    write, set_sizes, end, bad, message
):
    before = "\ufeffone é\n\ntwo\n\n三\n\nfo".encode()
    for name in ("a.txt", "a.txt.gz"):
        path = write(name, before + bad + end)
        for chunk_bytes in (4, 1 << 20):
            for block_bytes in (1, 5, 1 << 20):
                set_sizes(chunk_bytes, block_bytes)
                with pytest.raises(ValueError) as caught:
                    _documents(path)
                assert message.format(len(before)) in str(caught.value)
                assert path in str(caught.value)


def test_a_gzip_file_that_is_cut_is_an_error(write, tmp_path):
    generator = random.Random(1)
    text = "".join(f'{{"text": "{generator.random()}"}}\n' for _ in range(99))
    path = write("a.jsonl.gz", text.encode())
    data = (tmp_path / "a.jsonl.gz").read_bytes()
    for damaged, message in (
        (data[: len(data) // 2], "a complete gzip"),
        (data[:200] + b"????" + data[204:], "a complete gzip"),
        (text.encode(), ".* Not a gzipped"),
    ):
        (tmp_path / "a.jsonl.gz").write_bytes(damaged)
        with pytest.raises(ValueError, match=f"{path} is not {message}"):
            _documents(path)


def test_fingerprints_are_of_the_contents(write):
    def fingerprint(name, data, text_key="text"):
        return open_sources([write(name, data)], text_key)[0].fingerprint()

    assert fingerprint("a.txt", b"one") == fingerprint("b.txt", b"one")
    assert fingerprint("a.txt", b"one") != fingerprint("a.txt", b"two")
    assert fingerprint("a.jsonl", b"{}", "a") != fingerprint(
        "a.jsonl", b"{}", "b"
    )


@pytest.fixture
def stream(tmp_path):
    """Return a function that writes bytes to a pipe and returns its name."""
    threads = []

    def stream(data):
        path = tmp_path / f"pipe{len(threads)}"
        os.mkfifo(path)
        threads.append(threading.Thread(target=path.write_bytes, args=[data]))
        threads[-1].start()
        return str(path)

    yield stream
    for thread in threads:
        thread.join()


_LONG = json.dumps({"text": "a dog " * 900_000}).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\ntwo\n\nthree", [[b"one", b"two"], [b"three"]]),
        (b"{no object}\n\ntwo", [[b"{no object}"], [b"two"]]),
        (b'\n{"text": "one"}\n{"text": "two"}', [[b"one"], [b"two"]]),
        (b"", []),
        (_LONG, [[b"a dog " * 899_999 + b"a dog"]]),
    ],
)
def test_a_stream_is_read_as_what_it_is(stream, data, expected):
    for packed in (data, gzip.compress(data)):
        path = stream(packed)
        (source,) = open_sources([path])
        assert source.name == path
        assert [*source_documents([source])] == expected
        assert [*source_documents([source])] == expected  # Again.


def test_the_copy_of_a_stream_is_removed_at_the_end(tmp_path):
    program = (
        "from keras_bert.pretraining import open_sources; "
        "(source,) = open_sources(['/dev/stdin']); print(source.path)"
    )
    output = subprocess.check_output(
        [sys.executable, "-c", program],
        input="one",
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert output.startswith(str(tmp_path))
    assert os.listdir(tmp_path) == []
