import random

import numpy as np

from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import denoising
from keras_bert.tasks import fit_denoising
from keras_bert.tasks.denoising import DenoisingExamples
from keras_bert.tasks.denoising import delete_words
from keras_bert.tasks.denoising import denoising_model
from keras_bert.tasks.embeddings.examples import embedding_examples

_TEXTS = ["the dog eats meat", "a bird", "the cat sees a fish", "seeds ."]


def test_texts_are_learned_from_their_embeddings(make_bert):
    bert = make_bert(initializer_range=0.2, num_hidden_layers=1)
    embedder = TextEmbedder(bert, pooling="cls")
    before = embedder.embed(_TEXTS)
    recipe = {"epochs": 15, "learning_rate": 1e-2, "batch_size": 4}
    history = fit_denoising(embedder, _TEXTS, 0.3, verbose=0, **recipe)
    history = history.history["loss"]
    assert history[-1] < history[0] - 1
    assert np.abs(embedder.embed(_TEXTS) - before).max() > 0.1


def test_losses_depend_on_the_embedding_but_not_on_padding(make_bert):
    embedder = TextEmbedder(make_bert(initializer_range=0.5))
    pairs = [("the dog", "the dog eats"), ("a cat", "the dog eats")]
    pairs += [("a", "a bird sees the cat .")]
    examples = embedding_examples(embedder.preprocess, pairs)
    model = denoising_model(embedder)
    own, other, _ = np.array(model(examples.inputs(range(3)))["embedding"])
    alone = np.array(model(examples.inputs([0]))["embedding"])
    np.testing.assert_allclose(own, alone[0], rtol=1e-5)
    assert abs(own - other) > 1e-3


def test_words_are_deleted_again_in_each_pass(make_bert):
    embedder = TextEmbedder(make_bert())
    examples = DenoisingExamples(embedder.preprocess, _TEXTS, 0.5, seed=0)
    batches = [examples.epoch_batches(2, 0, epoch) for epoch in range(2)]
    assert sorted(np.concatenate(batches[0])) == [*range(4)]
    assert sorted(np.concatenate(batches[1])) == [*range(4, 8)]
    ids = [
        examples.batch(np.array([first, first]))[0]["input_ids"][0]
        for first in (0, 4, 8, 0)
    ]
    assert (ids[0] == ids[3]).all()
    assert len({bytes(noisy) for noisy, _ in ids}) > 1
    expected = embedder.preprocess(["the dog eats meat"])["input_ids"][0]
    for _, original in ids:
        np.testing.assert_array_equal(original, expected[: len(original)])
    _, targets, _ = examples.batch(np.array([4, 5]))
    assert targets["embedding"].tolist() == [5, 3]


def test_batches_do_not_depend_on_the_current_pass(make_bert, monkeypatch):
    def delete(text, ratio, generator):
        """Return a text that may have more tokens, as with byte-level BPE."""
        return "a " * generator.randrange(1, 12)

    monkeypatch.setattr(denoising, "delete_words", delete)
    embedder = TextEmbedder(make_bert())
    examples = DenoisingExamples(embedder.preprocess, _TEXTS * 4, 0.5, seed=0)
    expected = examples.epoch_batches(2, 0, 1)
    for number in range(1, 5):
        examples.batch(np.array([number * 16]))
        found = examples.epoch_batches(2, 0, 1)
        np.testing.assert_array_equal(found, expected)


def test_epochs_may_have_more_steps_than_a_pass(make_bert):
    embedder = TextEmbedder(make_bert(num_hidden_layers=1))
    recipe = {"epochs": 2, "steps_per_epoch": 5, "batch_size": 2}
    fit_denoising(embedder, _TEXTS, verbose=0, **recipe)


def test_the_given_share_of_words_is_deleted():
    generator = random.Random(0)
    words = " ".join(map(str, range(10000)))
    kept = delete_words(words, 0.6, generator).split()
    assert 3800 < len(kept) < 4200
    assert kept == sorted(kept, key=int)
    assert delete_words("one", 0.99, generator) == "one"
    assert delete_words("", 0.5, generator) == ""
