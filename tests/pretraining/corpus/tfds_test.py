import pytest
import tensorflow_datasets as tfds

from keras_bert.pretraining.corpus import text_files
from keras_bert.pretraining.corpus.tfds import TfdsSource


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
    first, rest, both, test, titles = (
        TfdsSource(directory, split, key)
        for split, key in (
            ("train[:40%]", "text"),
            ("train[40%:]", "text"),
            ("train", "text"),
            ("test", "text"),
            ("train", "title"),
        )
    )
    parts = _documents(first), _documents(rest)
    assert (len(parts[0]), len(parts[1])) == (12, 18)
    assert sorted(parts[0] + parts[1]) == sorted(documents)
    assert _documents(both) == sorted(documents)
    assert _documents(test) == sorted(documents[:2])
    assert _documents(titles) == [["a"]] * 30
    assert both.name == "tiny/2.0.0:train"
    assert both.fingerprint() == "tiny/2.0.0:train, 30 examples, text"
    sources = first, rest, both, test, titles
    assert len({source.fingerprint() for source in sources}) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text_key": "body"}, "'body'. Text features: text, title"),
        ({"text_key": "lines"}, "'lines'. Text features: text, title"),
        ({"split": "valid"}, "of test, train or .*Received: 'valid'"),
        ({"split": "train[:"}, r"of test, train or .*Received: 'train\[:'"),
    ],
)
def test_a_wrong_key_or_split_is_named_with_those_there_are(
    prepare_texts, arguments, message
):
    with pytest.raises(ValueError, match=message):
        TfdsSource(prepare_texts(["one"]), **arguments)


def test_bytes_that_are_no_text_are_named_by_their_example(prepare_texts):
    source = TfdsSource(prepare_texts(["one", b"caf\xe9", "two"]))
    with pytest.raises(
        ValueError, match="tiny/2.0.0:train, example .*__.*0xe9"
    ):
        _documents(source)


def test_an_unknown_data_set_is_one_line(tmp_path):
    for name in ("no_such_data_set", str(tmp_path)):
        with pytest.raises(ValueError, match=f"^'{name}' must be") as caught:
            TfdsSource(name)
        assert "\n" not in str(caught.value)
