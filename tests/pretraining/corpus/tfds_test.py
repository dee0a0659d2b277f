import os
import sys

import pytest

from keras_bert.pretraining.corpus import text_files
from keras_bert.pretraining.corpus.tfds import TfdsSource

tfds = pytest.importorskip("tensorflow_datasets")


def _texts(documents):
    return ["\n".join(document) for document in documents]


@pytest.fixture
def prepare_texts(prepare):
    """Prepare a dataset of texts; return the directory of its version."""

    def prepare_texts(texts):
        text = tfds.features.Text()
        keys = {
            "text": text,
            "title": text,
            "lines": tfds.features.Sequence(text),
            "label": tfds.features.ClassLabel(num_classes=2),
        }
        examples = [
            {"text": text, "title": "a", "lines": [], "label": 0}
            for text in texts
        ]
        splits = {"train": examples, "test": examples[:2]}
        return prepare("tiny", keys, splits) + "/tiny/2.0.0"

    return prepare_texts


def _documents(source):
    """Return the documents of all chunks, sorted."""
    documents = [[]]
    for chunk in source.chunks():
        for line in source.lines(chunk):
            if line:
                documents[-1].append(line.decode())
            else:
                documents.append([])
    assert documents.pop() == []
    return sorted(documents)


@pytest.mark.exhaustive
def test_an_example_is_a_document(prepare_texts, make_documents, monkeypatch):
    documents = make_documents(1, 30)
    source = TfdsSource(
        prepare_texts([f"\n{t}\r\n\n " for t in _texts(documents)])
    )
    assert len(source.chunks()) == 1
    assert _documents(source) == sorted(documents)
    for chunk_bytes in (1, 200, 1000):
        monkeypatch.setattr(text_files, "CHUNK_BYTES", chunk_bytes)
        assert _documents(source) == sorted(documents)
        assert 1 < len(source.chunks()) <= 30
    sizes = [source.num_bytes(chunk) for chunk in source.chunks()]
    num_bytes = sum(map(len, _texts(documents)))
    assert num_bytes < sum(sizes) < 4 * num_bytes  # Feature names too.


def test_a_part_of_a_split_will_do(prepare_texts, make_documents):
    documents = make_documents(1, 30)
    directory = prepare_texts(_texts(documents))
    first, rest, both = (
        _documents(TfdsSource(directory, split))
        for split in ("train[:40%]", "train[40%:]", "train")
    )
    assert (len(first), len(rest)) == (12, 18)
    assert sorted(first + rest) == both == sorted(documents)
    assert _documents(TfdsSource(directory, "test")) == sorted(documents[:2])
    other = TfdsSource(directory, text_key="title")
    assert _documents(other) == [["a"]] * 30


def test_fingerprints_tell_version_split_size_and_key(prepare_texts):
    directory = prepare_texts(["one", "two", "three"])
    source = TfdsSource(directory)
    assert source.name == "tiny/2.0.0:train"
    assert source.fingerprint() == "tiny/2.0.0:train, 3 examples, text"
    others = (
        TfdsSource(directory, "test"),
        TfdsSource(directory, "train[:2]"),
        TfdsSource(directory, text_key="title"),
    )
    fingerprints = {s.fingerprint() for s in (source, *others)}
    assert len(fingerprints) == 4


def test_a_wrong_key_is_named_with_those_there_are(prepare_texts):
    directory = prepare_texts(["one"])
    for key in ("body", "label", "lines"):
        with pytest.raises(
            ValueError, match=f"'{key}'. Text features: text, title"
        ):
            TfdsSource(directory, text_key=key)


@pytest.mark.parametrize("split", ["valid", "train[:", ""])
def test_a_wrong_split_is_named_with_those_there_are(prepare_texts, split):
    directory = prepare_texts(["one"])
    with pytest.raises(ValueError, match="of test, train or") as caught:
        TfdsSource(directory, split)
    assert f"Received: {split!r}" in str(caught.value)


def test_bytes_that_are_no_text_are_named_by_their_example(prepare_texts):
    source = TfdsSource(prepare_texts(["one", b"caf\xe9", "two"]))
    with pytest.raises(
        ValueError, match="tiny/2.0.0:train, example .*__.*0xe9"
    ):
        _documents(source)


def test_what_is_not_prepared_is_not_downloaded(tmp_path, monkeypatch):
    class Tiny:
        data_dir = str(tmp_path / "tiny")

        def is_prepared(self):
            return False

    monkeypatch.setattr(tfds, "builder", lambda name, data_dir: Tiny())
    with pytest.raises(ValueError, match="tfds build unprepared.*/tiny"):
        TfdsSource("unprepared")
    assert os.listdir(tmp_path) == []


def test_an_unknown_data_set_is_one_line(tmp_path):
    for name in ("no_such_data_set", str(tmp_path)):
        with pytest.raises(ValueError, match=f"^'{name}' must be") as caught:
            TfdsSource(name)
        assert "\n" not in str(caught.value)


def test_a_missing_package_is_told_with_its_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", None)
    with pytest.raises(ImportError, match=r"install 'keras-bert-tf\[tfds\]'"):
        TfdsSource("missing")
