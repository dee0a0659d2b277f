import os
import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from keras_bert.beam.data import chunks

pytestmark = pytest.mark.beam


@pytest.mark.parametrize("chunk_bytes", [1, 7, 64, 999])
def test_chunks_neither_cut_nor_lose_a_document(
    corpus_files, monkeypatch, chunk_bytes
):
    path = corpus_files[0]
    expected = _documents_of(chunks.read_chunk(path, 0))
    monkeypatch.setattr(chunks, "CHUNK_BYTES", chunk_bytes)
    places = chunks.chunks_of([(path, os.path.getsize(path))])
    found = [
        document
        for place in places
        for document in _documents_of(chunks.read_chunk(*place))
    ]
    assert len(expected) == 92
    assert found == expected


def _documents_of(lines):
    return [d.split(b"\n") for d in _joined(lines).split(b"\n\n") if d]


def _joined(lines):
    text = b"\n".join(lines).strip(b"\n")
    while b"\n\n\n" in text:
        text = text.replace(b"\n\n\n", b"\n\n")
    return text


def test_an_archive_is_one_chunk(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 10)
    assert chunks.chunks_of([("a.gz", 25), ("b.txt", 25), ("c.txt", 0)]) == [
        ("a.gz", 0),
        ("b.txt", 0),
        ("b.txt", 10),
        ("b.txt", 20),
    ]
