import keras
import numpy as np
import pytest

from keras_bert.losses import MultipleNegativesRankingLoss
from keras_bert.tasks import LateInteractionEmbedder
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks.embeddings.examples import embedding_examples
from keras_bert.tasks.embeddings.training import embedding_learner

_TRIPLETS = [
    ("the dog eats", "meat", "a fish"),
    ("the cat sees the cat eats the dog", "a fish", "meat"),
    ("a bird", "seeds", "the dog eats"),
    ("the cat eats", "a bird .", "seeds"),
    ("the", "dog", "cat"),
]


def _step(embedder, mini_batch_size, run_eagerly):
    """Return the loss, and all variables after a step of gradient descent."""
    examples = embedding_examples(
        embedder.preprocess,
        _TRIPLETS,
        query_preprocess=embedder.query_preprocess,
    )
    loss = MultipleNegativesRankingLoss()
    model = embedding_learner(embedder, examples, loss, mini_batch_size).model
    model.compile(
        keras.optimizers.SGD(1.0),
        {"embedding": loss},
        jit_compile=False,
        run_eagerly=run_eagerly,
    )
    before = [np.copy(x.numpy()) for x in model.variables]
    inputs, targets, _ = examples.batch(np.arange(len(_TRIPLETS)))
    found = model.train_on_batch(inputs, targets)
    after = [np.copy(x.numpy()) for x in model.variables]
    for variable, value in zip(model.variables, before, strict=True):
        variable.assign(value)
    return found, after


@pytest.mark.parametrize("kind", [TextEmbedder, LateInteractionEmbedder])
@pytest.mark.parametrize(
    ("dropout", "mini_batch_size", "run_eagerly"),
    # Parts of a batch have other dropout masks than the batch.
    [(0.0, 2, False), (0.3, 5, True)],
)
def test_the_step_equals_a_step_with_the_whole_batch(
    make_bert, dropout, mini_batch_size, run_eagerly, kind
):
    rates = ("hidden_dropout_prob", "attention_probs_dropout_prob")
    options = {"num_hidden_layers": 1, "initializer_range": 0.2}
    bert = make_bert(**options, **dict.fromkeys(rates, dropout))
    embedder = kind(bert)
    loss, expected = _step(embedder, None, True)
    other_loss, found = _step(embedder, mini_batch_size, run_eagerly)
    np.testing.assert_allclose(other_loss, loss, rtol=1e-5)
    for array, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(array, other, rtol=1e-5, atol=3e-5)
