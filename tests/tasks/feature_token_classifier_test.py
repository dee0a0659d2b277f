import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.export import export_saved_model
from keras_bert.tasks import FeatureTokenClassifier
from keras_bert.tasks import load_task

_WORDS = [
    ["the", "dogs", "eats", "meat"],
    ["a", "cat", "sees", "the", "fish", "."],
    ["birds", "."],
]
_TAGS = [
    ["O", "B-ANIMAL", "O", "B-FOOD"],
    ["O", "B-ANIMAL", "O", "B-FOOD", "I-FOOD", "O"],
    ["B-ANIMAL", "O"],
]
_TEXTS = [" ".join(words) for words in _WORDS]


@pytest.fixture(scope="module")
def trained(make_bert):
    """One that knows the sentences; no test changes it."""
    keras.utils.set_random_seed(1)
    tagger = FeatureTokenClassifier(
        make_bert(),
        labels=FeatureTokenClassifier.labels_of(_TAGS),
        combination="weighted",
        dropout=0.0,
    )
    tagger.history = tagger.fit(
        _WORDS,
        _TAGS,
        validation_data=(_WORDS, _TAGS),
        epochs=200,
        learning_rate=0.02,
        batch_size=2,
        verbose=0,
    ).history
    return tagger


def test_it_learns_the_tags_of_a_few_sentences(trained):
    assert trained.predict_words(_WORDS) == _TAGS
    (entity,) = trained.predict("the DOGS")
    assert entity.pop("probability") > 0.5
    assert entity == {"text": "DOGS", "label": "ANIMAL", "start": 4, "end": 8}


def test_the_metrics_while_it_learns_are_those_of_the_whole_model(trained):
    found = trained.evaluate(_WORDS, _TAGS)["f1"]
    assert found == max(trained.history["val_f1"])


def test_long_sentences_are_tagged_window_by_window(trained):
    # 5 pieces each, of which 10 are taken at once.
    (tags,) = trained.predict_words([_WORDS[0] * 4])
    assert tags == trained.predict_words([_WORDS[0] * 2])[0] * 2


def test_company_and_padding_change_no_tag(trained):
    apart = [trained.predict_words([words])[0] for words in _WORDS]
    assert trained.predict_words(_WORDS) == apart
    rows = trained.logits(trained.labelled(_WORDS, _TAGS))
    served = trained.predict_texts(_TEXTS)
    for row, logits, ends in zip(rows, served["logits"], served["ends"]):
        np.testing.assert_allclose(row, logits[ends > 0], atol=1e-4)


def test_a_saved_tagger_answers_with_the_same_bits(trained, tmp_path):
    trained.save(tmp_path)
    again = load_task(tmp_path)
    assert type(again) is FeatureTokenClassifier
    assert again.settings == trained.settings
    inputs = trained.preprocess(_TEXTS)
    np.testing.assert_array_equal(
        again.predict_ids(inputs)["logits"],
        trained.predict_ids(inputs)["logits"],
    )


def test_it_is_served(trained, tmp_path):
    export_saved_model(trained, str(tmp_path / "served"))
    served = tf.saved_model.load(str(tmp_path / "served" / "1"))
    found = served.signatures["serving_default"](text=tf.constant(_TEXTS))
    width = found["labels"].shape[1]  # That of the longest text.
    expected = {
        name: tensor[:, :width]
        for name, tensor in trained.predict_texts(_TEXTS).items()
        if tensor.shape.rank > 1
    }
    np.testing.assert_array_equal(found["labels"], expected["labels"])
    is_word = expected["ends"].numpy() > 0  # Elsewhere the logits are free.
    np.testing.assert_allclose(
        found["logits"].numpy()[is_word],
        expected["logits"].numpy()[is_word],
        atol=1e-5,
    )
