import numpy as np
import pytest

from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks.occlusion import occlusion


def _logits(task, text, pair=None):
    """Return the logits of a text in which [MASK] is the mask token."""
    texts = [[text]] if pair is None else [[text], [pair]]
    tokens = [task.pretrained.tokenizer.with_special_tokens()(x) for x in texts]
    inputs, _ = task.preprocess.add_special_tokens(*tokens)
    return np.asarray(task.model(inputs)["logits"])[0]


@pytest.mark.parametrize("pair", [None, "fish"])
def test_it_is_the_difference_that_a_mask_makes(bert, pair):
    classifier = TextClassifier(bert, labels=["good", "bad", "odd"])
    words = ["the", "dog", "eats"]
    effects = occlusion(classifier, " ".join(words), pair)
    assert effects.shape == (5 if pair is None else 7, 3)
    whole = _logits(classifier, " ".join(words), pair)
    for place in range(3):
        hidden = [*words[:place], "[MASK]", *words[place + 1 :]]
        expected = whole - _logits(classifier, " ".join(hidden), pair)
        np.testing.assert_allclose(effects[place + 1], expected, atol=1e-5)
    if pair:
        expected = whole - _logits(classifier, " ".join(words), "[MASK]")
        np.testing.assert_allclose(effects[5], expected, atol=1e-5)
    assert not effects[[0, 4, -1]].any()


def test_a_text_without_pieces_has_no_effects(bert):
    assert not occlusion(TextRegressor(bert), "\x01").any()


def test_of_a_long_text_the_pieces_that_are_kept_are_hidden(bert):
    task = TextRegressor(bert, seq_length=6, truncation="tail")
    effects = occlusion(task, "a a a a a a the dog eats fish")
    expected = occlusion(task, "the dog eats fish")
    np.testing.assert_allclose(effects, expected, atol=1e-6)
