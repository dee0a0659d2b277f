import keras
import numpy as np
import pytest

from keras_bert.training import pretraining_losses
from keras_bert.training import pretraining_metrics

_RANDOM = np.random.default_rng(0)
_LOGITS = {
    "mlm_logits": _RANDOM.normal(size=(4, 3, 30)).astype("float32"),
    "nsp_logits": _RANDOM.normal(size=(4, 2)).astype("float32"),
}
_LABELS = {
    "mlm_logits": _RANDOM.integers(0, 30, (4, 3)),
    "nsp_logits": _RANDOM.integers(0, 2, 4),
}
_WEIGHTS = {
    "mlm_logits": np.array(
        [[1, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 0]], "float32"
    ),
    "nsp_logits": np.ones(4, "float32"),
}
_NAMES = ["mlm_logits", "nsp_logits"]


def negative_log_likelihoods(logits, labels):
    logits = logits.astype("float64")
    log_sums = np.log(np.exp(logits).sum(axis=-1))
    chosen = np.take_along_axis(logits, labels[..., None], axis=-1)[..., 0]
    return log_sums - chosen


@pytest.mark.parametrize("name", _NAMES)
def test_loss_is_the_mean_over_real_predictions(name):
    losses = negative_log_likelihoods(_LOGITS[name], _LABELS[name])
    expected = losses[_WEIGHTS[name] == 1].mean()
    loss = pretraining_losses()[name](
        _LABELS[name], _LOGITS[name], _WEIGHTS[name]
    )
    assert float(loss) == pytest.approx(expected, abs=1e-6)


def test_padded_predictions_do_not_count():
    loss = pretraining_losses()["mlm_logits"]
    real = _WEIGHTS["mlm_logits"] == 1
    labels = np.where(real, _LABELS["mlm_logits"], 0)
    logits = np.where(real[..., None], _LOGITS["mlm_logits"], 1e4)
    logits[~real, 0] = -1e4
    assert float(loss(labels, logits, _WEIGHTS["mlm_logits"])) == float(
        loss(
            _LABELS["mlm_logits"], _LOGITS["mlm_logits"], _WEIGHTS["mlm_logits"]
        )
    )


def test_a_batch_without_predictions_has_no_loss():
    loss = pretraining_losses()["mlm_logits"](
        _LABELS["mlm_logits"], _LOGITS["mlm_logits"], np.zeros((4, 3))
    )
    assert float(loss) == 0.0


def test_loss_of_bfloat16_logits_is_float32():
    """Logits of some other head; ours are float32."""
    logits = keras.ops.cast(_LOGITS["mlm_logits"], "bfloat16")
    loss = pretraining_losses()["mlm_logits"](
        _LABELS["mlm_logits"], logits, _WEIGHTS["mlm_logits"]
    )
    assert loss.dtype == "float32"


@pytest.mark.parametrize("name", _NAMES)
def test_accuracy_is_the_share_of_real_predictions(name):
    metric = pretraining_metrics()[name]
    hits = _LOGITS[name].argmax(axis=-1) == _LABELS[name]
    labels = np.where(hits, _LABELS[name], _LOGITS[name].argmin(axis=-1))
    labels.reshape(-1)[::2] = _LOGITS[name].argmax(axis=-1).reshape(-1)[::2]
    hits = _LOGITS[name].argmax(axis=-1) == labels
    for row in range(4):  # batches of one, with other numbers of predictions
        metric.update_state(
            labels[[row]], _LOGITS[name][[row]], _WEIGHTS[name][[row]]
        )
    expected = hits[_WEIGHTS[name] == 1].mean()
    assert 0 < expected < 1
    assert float(metric.result()) == pytest.approx(expected)


def test_metrics_are_named_for_the_task():
    names = {out: m.name for out, m in pretraining_metrics().items()}
    assert names == {
        "mlm_logits": "mlm_accuracy",
        "nsp_logits": "nsp_accuracy",
    }


def test_every_call_gives_fresh_metrics():
    metrics = pretraining_metrics()
    metrics["nsp_logits"].update_state([0], [[1.0, 0.0]])
    assert float(metrics["nsp_logits"].result()) == 1.0
    assert float(pretraining_metrics()["nsp_logits"].result()) == 0.0
