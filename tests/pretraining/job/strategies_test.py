import pytest
import tensorflow as tf

from keras_bert.pretraining.job.strategies import is_chief
from keras_bert.pretraining.job.strategies import make_strategy
from keras_bert.pretraining.job.strategies import mean_over_workers


def test_one_device_is_the_chief_and_all_workers():
    strategy = make_strategy("one_device")
    assert strategy is tf.distribute.get_strategy()
    assert is_chief(strategy)
    assert mean_over_workers(strategy, 0.25) == 0.25


def test_one_device_cannot_be_mirrored():
    with pytest.raises(
        ValueError, match="mirrored' needs at least two .*: /device:.*:0. Use"
    ):
        make_strategy("mirrored")


@pytest.mark.parametrize(
    "text", ["", "no JSON", '{"cluster": {"worker": ["a:1"]}}']
)
def test_a_bad_cluster_is_shown(monkeypatch, text):
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(ValueError, match="TF_CONFIG, such as") as caught:
        make_strategy("multi_worker")
    assert str(caught.value).endswith(f"Received: {text!r}.")


def test_a_missing_tpu_is_named(monkeypatch):
    monkeypatch.delenv("TPU_NAME", raising=False)
    with pytest.raises(ValueError, match="tpu' needs a TPU.*TPU_NAME"):
        make_strategy("tpu")
