import pytest

from keras_bert.files.manifest import manifest_of
from keras_bert.pretraining.corpus.held_out import is_held_out
from keras_bert.pretraining.corpus.held_out import split_corpus

_DOCUMENTS = [[f"Sentence {number}.", "So."] for number in range(2000)]


def test_part_depends_on_text_and_share_alone():
    tenth = [d for d in _DOCUMENTS if is_held_out(d, 0.1)]
    fifth = [d for d in _DOCUMENTS if is_held_out(d, 0.2)]
    assert 150 < len(tenth) < 250
    assert all(document in fifth for document in tenth)
    assert is_held_out(_DOCUMENTS[0], 1.0)
    assert not is_held_out(_DOCUMENTS[0], 0.0)


def test_parts_hold_every_document_once(tmp_path):
    counts = split_corpus(_DOCUMENTS, tmp_path, 0.1, {"dropped": 3})
    parts = [(tmp_path / f"{p}.txt").read_text() for p in ("train", "eval")]
    texts = [text for part in parts for text in part.split("\n\n") if text]
    assert sorted(texts) == sorted("\n".join(d) for d in _DOCUMENTS)
    assert counts["documents"] == 2000
    assert counts["held_out"] == parts[1].count("So.")
    assert counts["sentences"] == 4000
    assert counts["words"] == 6000
    assert counts["bytes"] == sum(map(len, parts))
    for part in ("train", "eval"):
        _, values = manifest_of(tmp_path / f"{part}.txt")
        assert (values["counts"], values["dropped"]) == (counts, 3)


def test_too_few_documents_are_an_error_and_leave_nothing(tmp_path):
    with pytest.raises(ValueError, match="Received: 0 for training and 1 for"):
        split_corpus([["One."]], tmp_path, 1.0)
    assert list(tmp_path.iterdir()) == []
