import pytest

from keras_bert.tasks.features.model import FeatureDesign
from tests import tiny


@pytest.fixture(scope="module")
def deep():
    return tiny.make_bert(num_hidden_layers=6)


def test_the_last_four_layers_are_the_default(deep, bert):
    assert FeatureDesign.of(deep, {}).layers == (3, 4, 5, 6)
    assert FeatureDesign.of(bert, {}).layers == (1,)
    assert FeatureDesign.of(deep, {}).lstm_size == 16


def test_layers_are_counted_from_either_end(deep):
    assert FeatureDesign.of(deep, {}, layers=[-1, 0, 2]).layers == (6, 0, 2)
    assert FeatureDesign.of(deep, {}, layers=-2).layers == (5,)


def test_what_is_given_goes_before_what_was_trained(deep):
    trained = {"layers": [2], "combination": "weighted", "lstm_size": 5}
    design = FeatureDesign.of(deep, trained, lstm_size=7, layers=None)
    assert (design.layers, design.combination) == ((2,), "weighted")
    assert design.lstm_size == 7
    assert design.settings["layers"] == [2]


@pytest.mark.parametrize(
    "given, received",
    [
        ({"layers": []}, r"layers=\[\]"),
        ({"layers": [7]}, r"layers=\[7\]"),
        ({"layers": [6, -1]}, r"layers=\[6, -1\]"),
        ({"layers": ["last"]}, r"layers=\['last'\]"),
        ({"combination": "sum"}, "combination='sum'"),
        ({"lstm_size": 0}, "lstm_size=0"),
        ({"dropout": 1.0}, "dropout=1.0"),
    ],
)
def test_what_cannot_be_is_an_error(deep, given, received):
    with pytest.raises(ValueError, match=f"Received: {received}"):
        FeatureDesign.of(deep, {}, **given)
