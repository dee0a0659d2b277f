import numpy as np
import tensorflow as tf

from keras_bert import losses
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks.embeddings.training import examples_and_loss

_TRIPLETS = [("the dog", "meat", "fish"), ("a cat", "a fish", "the dog")]
_PAIRS = [("the dog", "meat"), ("a cat", "fish"), ("a bird", "seeds")]
_SCORES = [5.0, 1.0, 3.0]
_DATA = {"triplets": _TRIPLETS, "scored": (_PAIRS, _SCORES)}


def test_each_batch_has_the_examples_and_the_loss_of_one_data_set(bert):
    embedder = TextEmbedder(bert)
    own = {"triplets": None, "scored": losses.CoSENTLoss()}
    options = embedder, 2, False, "proportional"
    mixture, loss = examples_and_loss(own, (_DATA, None), *options)
    found = mixture.epoch_batches(2, 0, 0)
    sizes = [(len(batch), max(batch) < len(_TRIPLETS)) for batch in found]
    assert sorted(sizes) == [(1, False), (2, False), (2, True)]
    for indices in found:
        _, targets, _ = mixture.batch(indices)
        name = "triplets" if max(indices) < len(_TRIPLETS) else "scored"
        data = (_TRIPLETS, None) if name == "triplets" else _DATA[name]
        part, alone = examples_and_loss(own[name], data, *options)
        places = indices - (len(_TRIPLETS) if name == "scored" else 0)
        shape = (len(indices), part.num_texts, 4)
        vectors = np.random.default_rng(1).normal(size=shape)
        vectors = tf.constant(vectors, tf.float32)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(vectors)
            value = loss(targets["embedding"], vectors)
            expected = alone(part.targets[places], vectors)
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        gradients = [tape.gradient(x, vectors) for x in (value, expected)]
        np.testing.assert_allclose(*gradients, atol=1e-6)


def test_fit_trains_on_several_data_sets(bert):
    embedder = TextEmbedder(bert)
    before = embedder.embed("the dog")
    loss = {"triplets": None, "scored": losses.CoSENTLoss()}
    recipe = {"epochs": 1, "batch_size": 2, "verbose": 0}
    embedder.fit(_DATA, loss=loss, no_duplicates=True, **recipe)
    assert np.abs(embedder.embed("the dog") - before).max() > 0


def test_datasets_take_turns(bert):
    loss = {"triplets": None, "scored": losses.CoSENTLoss()}
    mixture, _ = examples_and_loss(
        loss, (_DATA, None), TextEmbedder(bert), 2, False, "round_robin"
    )
    batches = mixture.epoch_batches(2, 0, 0)
    # The triplets have one batch, the pairs two.
    is_scored = [min(batch) >= len(_TRIPLETS) for batch in batches]
    assert is_scored == [False, True]
