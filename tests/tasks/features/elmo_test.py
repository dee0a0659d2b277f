import keras
import numpy as np
import pytest

from keras_bert.checkpoints import read_elmo
from keras_bert.tasks import FeatureTextClassifier
from keras_bert.tasks import FeatureTokenClassifier

_WORDS = [
    ["the", "dogs", "eat", "meat"],
    ["a", "cat", "sees", "the", "fish", "."],
    ["birds", "."],
]
_TAGS = [
    ["O", "B-ANIMAL", "O", "B-FOOD"],
    ["O", "B-ANIMAL", "O", "B-FOOD", "I-FOOD", "O"],
    ["B-ANIMAL", "O"],
]
_TEXTS = [" ".join(words) for words in _WORDS]
_ALL = {"layers": range(4), "combination": "weighted", "dropout": 0.0}


@pytest.fixture
def elmo(elmo_files):
    keras.utils.set_random_seed(1)
    return read_elmo(elmo_files / "options.json", elmo_files / "weights.hdf5")


def _tagger(elmo, **arguments):
    labels = FeatureTokenClassifier.labels_of(_TAGS)
    return FeatureTokenClassifier(elmo, labels=labels, **_ALL, **arguments)


def test_the_head_reads_the_states_between_the_ends_of_a_sentence(elmo):
    tagger = _tagger(elmo)
    encoded = tagger._labelled(_WORDS, _TAGS)
    assert encoded.rows.lengths.tolist() == [6, 8, 4]
    rows = encoded.rows.inputs([1])
    states = tagger.states_model(rows)["states"]
    assert states.shape == (1, 8, 4, 8)
    expected = keras.ops.stack(elmo.backbone.states, axis=-2)
    model = keras.Model(elmo.backbone.inputs, expected)
    np.testing.assert_allclose(states, model(rows), rtol=1e-3)


def test_long_sentences_are_read_in_windows_and_words_hold_spaces(elmo):
    tagger = _tagger(elmo, seq_length=6)
    sentences = [_WORDS[0] * 3, _WORDS[0], ["New York", "is", "big"]]
    long, short, spaced = tagger.predict_words(sentences)
    assert long == short * 3
    assert len(spaced) == 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("windows", [None, "mean"])
def test_a_classifier_learns_on_the_layers_of_elmo(elmo, windows):
    classifier = FeatureTextClassifier(
        elmo, labels=["cats", "others"], windows=windows, **_ALL
    )
    classifier.fit(_TEXTS, [1, 0, 1], epochs=40, learning_rate=0.03, verbose=0)
    assert classifier.evaluate(_TEXTS, [1, 0, 1])["accuracy"] == 1
    assert len(classifier.predict([""])) == 1


def test_states_are_stored_once(elmo, tmp_path):
    for _ in range(2):
        tagger = _tagger(elmo, cache_dir=tmp_path)
        tagger.fit(_WORDS, _TAGS, epochs=1, verbose=0)
        assert len([*tmp_path.glob("states-*.npy")]) == 1


def test_a_pair_is_two_sentences(elmo):
    classifier = FeatureTextClassifier(elmo, labels=["a", "b"])
    encoded = classifier._encode([("one text", "the other one")])
    assert encoded.rows.lengths.tolist() == [2 + 3 + 4]


def test_neither_saving_nor_exporting_leaves_anything(elmo, tmp_path):
    tagger = _tagger(elmo)
    for write in (
        tagger.save,
        tagger.export_saved_model,
        tagger.export_tflite,
    ):
        with pytest.raises(ValueError, match="PretrainedModel.*Elmo"):
            write(str(tmp_path / "out"))
    assert not [*tmp_path.glob("out*")]
