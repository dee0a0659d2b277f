"""Static embedders that are distilled from an embedder."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.arrays.safetensors_file import write_weights
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import text_model
from tests.tasks.embeddings.conftest import change_json

_TEXTS = [
    *("the dog eats meat", "a cat", "the bird and the cat eats seeds."),
    *("", "dogs and cats", "meat", "fish and a bird"),
]


@pytest.fixture
def teacher(make_bert):
    return TextEmbedder(make_bert(num_hidden_layers=2), normalize=True)


def test_pieces_keep_their_distances(bert):
    static = TextEmbedder(bert).distill_static(16)
    tokens = bert.tokenizer.vocabulary.tokens
    words = ["dog", "cat", "meat"]
    ids = [tokens.index(word) for word in words]
    ranks = np.array(ids) - 3  # After five special tokens, from 2.
    shares = 1 / ranks / sum(1 / rank for rank in range(2, len(tokens) - 3))
    table = static.pretrained.weights["embeddings/word_embeddings"].numpy()
    found = table[ids] * (1 + shares / 1e-4)[:, None]
    expected = TextEmbedder(bert).embed(words)
    for vectors in found, expected:
        vectors -= vectors.mean(axis=0)
    np.testing.assert_allclose(
        found @ found.T, expected @ expected.T, rtol=1e-3, atol=1e-3
    )


def test_a_text_is_the_mean_of_its_pieces(teacher):
    static = teacher.distill_static(8)
    one, other, both = static.embed(["dog", "cat", "cat [SEP] dog [CLS]"])
    assert static.preprocess(["cat dog"])["input_ids"].shape == (1, 12)
    table = static.pretrained.weights["embeddings/word_embeddings"].numpy()
    assert not table[:5].any()  # The special tokens.
    plane = np.stack([one, other]).T
    *_, residual = 0, both - plane @ np.linalg.lstsq(plane, both)[0]
    np.testing.assert_allclose(np.linalg.norm(both), 1, rtol=1e-6)
    assert np.linalg.norm(residual) < 1


def test_texts_bring_it_closer_to_the_teacher(teacher):
    words = "the a dog cat bird eats sees meat fish seeds and .".split()
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(words, 4)) for _ in range(500)]
    texts.append("zebra")  # Unknown, so its first vector is 0.

    def cosines(embedder):
        vectors = embedder.embed(_TEXTS)
        return (vectors @ vectors.T)[np.triu_indices(len(_TEXTS), 1)]

    others = teacher.distill_static(8), teacher.distill_static(8, texts)
    rows = [cosines(embedder) for embedder in (teacher, *others)]
    _, before, after = np.corrcoef(rows)[0]
    assert after > before + 0.2, (before, after)


def test_it_is_saved_and_served(teacher, tmp_path):
    static = teacher.distill_static(8, _TEXTS)
    expected = static.embed(_TEXTS)
    assert not expected[3].any()
    for format in "keras", "hf":
        static.save(tmp_path / format, format)
        again = TextEmbedder.from_pretrained(tmp_path / format)
        np.testing.assert_array_equal(again.embed(_TEXTS), expected)
    served = static.predict_texts(tf.constant(_TEXTS))["embedding"]
    np.testing.assert_allclose(served, expected, atol=1e-6)


@pytest.mark.parity
def test_sentence_transformers_reads_it(teacher, tmp_path):
    from sentence_transformers import SentenceTransformer

    static = teacher.distill_static(8)
    static.save(tmp_path / "saved", format="hf")
    theirs = SentenceTransformer(str(tmp_path / "saved"), device="cpu")
    expected = static.embed(_TEXTS)
    np.testing.assert_allclose(theirs.encode(_TEXTS), expected, atol=1e-6)
    other = TextEmbedder(static.pretrained, pooling="max")
    with pytest.raises(ValueError, match="only the poolings mean.*'max'"):
        other.save(tmp_path / "other", format="hf")


@pytest.fixture
def published(teacher, tmp_path):
    """Return a static embedder and a directory of sentence-transformers."""
    static = teacher.distill_static(8)
    static.save(tmp_path, format="hf")
    kept = "modules.json", "model.safetensors", "tokenizer.json"
    for path in tmp_path.iterdir():
        if path.is_file() and path.name not in kept:
            path.unlink()
    return static, tmp_path


def test_a_static_embedding_is_read(published):
    static, directory = published
    read = TextEmbedder.from_pretrained(directory)
    np.testing.assert_array_equal(read.embed(_TEXTS), static.embed(_TEXTS))
    assert read.preprocess.seq_length == 12
    change_json(directory / "tokenizer.json", truncation=None)
    table = static.pretrained.weights["embeddings/word_embeddings"].numpy()
    write_weights(directory / "model.safetensors", {"embeddings": table})
    read = TextEmbedder.from_pretrained(directory, special_tokens_in_text=True)
    long = "dog " * 7 + "[MASK] cat " * 7
    tokens = read.pretrained.tokenizer.vocabulary.tokens
    ids = [tokens.index(token) for token in long.split()]
    mean = table[ids].mean(axis=0)
    np.testing.assert_allclose(
        read.embed(long), mean / np.linalg.norm(mean), atol=1e-6
    )


@pytest.mark.parametrize(
    ("arrays", "direction", "message"),
    [
        (["embeddings", "mapping"], "Right", "one array, .*gs, mapping"),
        (["embeddings"], "Left", "`direction` must be Right"),
    ],
)
def test_other_static_embeddings_are_errors(
    published, arrays, direction, message
):
    _, directory = published
    arrays = dict.fromkeys(arrays, np.zeros((18, 8), "float32"))
    write_weights(directory / "model.safetensors", arrays)
    truncation = {"max_length": 3, "direction": direction}
    change_json(directory / "tokenizer.json", truncation=truncation)
    with pytest.raises(CheckpointError, match=message):
        TextEmbedder.from_pretrained(directory)


@pytest.mark.exhaustive
def test_it_is_a_keras_file_and_a_tflite_file(teacher, tmp_path):
    static = teacher.distill_static(8)
    text_model(static).save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    found = loaded({"text": tf.constant(_TEXTS)})["embedding"]
    np.testing.assert_allclose(found, static.embed(_TEXTS), atol=1e-6)
    written = static.export_tflite(tmp_path / "model.tflite", kind="float32")
    assert all(found.is_within("float32") for found in written.values())


@pytest.mark.exhaustive
def test_tasks_are_trained_on_static_embeddings(teacher):
    static = teacher.distill_static(8).pretrained
    classifier = TextClassifier(static, ["no", "yes"])
    recipe = {"epochs": 3, "learning_rate": 0.3, "verbose": 0}
    classifier.fit(["dog", "cat"] * 8, [0, 1] * 8, **recipe)
    found = classifier.predict(["dog", "cat"])
    assert [x["label"] for x in found] == ["no", "yes"]
