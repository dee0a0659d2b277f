import pytest

from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import mine_hard_negatives
from keras_bert.tasks import read_hard_negatives
from keras_bert.tasks.embeddings.examples import embedding_examples
from tests.tasks.embeddings.retrieval_test import Embedder
from tests.tasks.embeddings.retrieval_test import golden  # noqa: F401

_PAIRS = [("the dog", "meat"), ("a cat", "fish"), ("the dog", "a bird")]


class _Ranker:
    def __init__(self, scores):
        self.scores = scores

    def predict(self, pairs):
        return [self.scores[int(a[1:]), int(b[1:])] for a, b in pairs]


_CASES = {
    "plain": {},
    "ranges": {"range_min": 4, "range_max": 7, "num_negatives": 2},
    "margin": {"margin": 0.2},
    "relative": {"relative_margin": 0.3, "range_max": 60},
    "ranked": {"margin": 1.0},
}


@pytest.mark.parametrize("case", _CASES)
def test_negatives_are_those_of_sentence_transformers(
    golden,  # noqa: F811
    tmp_path,
    monkeypatch,
    case,
):
    monkeypatch.setattr(
        "keras_bert.tasks.embeddings.hard_negatives._PAIRS_AT_ONCE", 7
    )
    embedder, path = Embedder(golden), tmp_path / "mined.jsonl"
    expected = [
        (f"q{a}", f"d{b}", f"d{c}") for a, b, c in golden[f"mined_{case}"]
    ]
    count = mine_hard_negatives(
        embedder,
        [(f"q{a}", f"d{b}") for a, b in golden["pairs"]],
        path,
        corpus=[f"d{n}" for n in range(len(golden["documents"]))],
        ranker=_Ranker(golden["ranker_scores"]) if case == "ranked" else None,
        **_CASES[case],
    )
    assert count == len(expected)
    assert read_hard_negatives(path, embedder) == expected


@pytest.fixture
def mined(bert, tmp_path):
    """Return an embedder and a file that it mined."""
    embedder, path = TextEmbedder(bert), tmp_path / "mined.jsonl"
    corpus = ["seeds", "the dog", "seeds"]
    assert mine_hard_negatives(embedder, _PAIRS, path, corpus) == 7
    return embedder, path


def test_the_file_has_triplets_for_training(mined):
    embedder, path = mined
    triplets = read_hard_negatives(path, embedder)
    # Neither positives nor the anchor; documents are used once.
    dogs = {triplet[2] for triplet in triplets if triplet[0] == "the dog"}
    cats = {triplet[2] for triplet in triplets if triplet[0] == "a cat"}
    assert dogs == {"seeds", "fish"}
    assert cats < {"seeds", "the dog", "meat", "a bird"}
    examples = embedding_examples(embedder.preprocess, triplets)
    assert examples.groups.shape == (7, 3)


def test_a_file_of_another_embedder_is_an_error(mined, bert):
    embedder, path = mined
    with pytest.raises(ValueError, match="different embedder, TextEmbedder"):
        read_hard_negatives(path, TextEmbedder(bert, pooling="cls"))
    text = path.read_text()
    path.write_text(text[:-9])
    with pytest.raises(ValueError, match="mined.jsonl, line 7.*JSON object"):
        read_hard_negatives(path, embedder)
    path.write_text(text.replace("fish", "seas"))
    with pytest.raises(ValueError, match="mined.jsonl has changed"):
        read_hard_negatives(path, embedder)
    (path.parent / "manifest-mined.jsonl.json").unlink()
    with pytest.raises(ValueError, match="must have a manifest"):
        read_hard_negatives(path, embedder)


def test_an_existing_file_is_kept(mined):
    embedder, path = mined
    with pytest.raises(ValueError, match="mined.jsonl"):
        mine_hard_negatives(embedder, _PAIRS, path)
    assert mine_hard_negatives(embedder, _PAIRS, path, overwrite=True)
