import numpy as np
import pytest

from keras_bert import losses

_RANKING = losses.MultipleNegativesRankingLoss
_MATRYOSHKA = losses.MatryoshkaLoss


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: _RANKING(scale=0), "`scale` must be .*scale=0"),
        (lambda: _RANKING(symmetric="yes"), "symmetric='yes'"),
        (lambda: losses.DistillKLDivLoss(float("nan")), "temperature=nan"),
        (lambda: _MATRYOSHKA("mse", [2]), "keras_bert.losses.*'mse'"),
        (lambda: _MATRYOSHKA(_RANKING(), []), r"dims=\[\]"),
        (lambda: _MATRYOSHKA(_RANKING(), [2], [1, 2]), "a weight for"),
        (lambda: _MATRYOSHKA(_RANKING(), [0]), "dims=0"),
        (lambda: _MATRYOSHKA(_RANKING(), 5), "list of sizes.*dims=5"),
        (lambda: _RANKING(similarity="l2"), "similarity='l2'"),
        (lambda: losses.SpladeLoss("mse", 1.0), "keras_bert.losses.*'mse'"),
        (lambda: losses.SpladeLoss(_RANKING(), -1), "document_weight=-1"),
        (lambda: losses.SpladeLoss(_RANKING(), 1, -1), "query_weight=-1"),
        (
            lambda: losses.SpladeLoss(_RANKING(), 1, query_threshold=0.5),
            "query_threshold=0.5",
        ),
        (lambda: losses.SpladeLoss(_RANKING(), 1, warmup=2), "warmup=2"),
        (lambda: losses.ContrastiveLoss(margin=0), "margin=0"),
        (lambda: losses.BatchHardTripletLoss(margin=-1), "margin=-1"),
        (
            lambda: losses.ContrastiveLoss().check(2, np.array([1, 0.5]), 4),
            "0 or 1 for ContrastiveLoss. Received: 0.5 at index 1",
        ),
        (lambda: losses.GISTEmbedLoss(None, temperature=0), "temperature=0"),
        (lambda: losses.GISTEmbedLoss(None, margin=-1), "margin=-1"),
        (
            lambda: losses.GISTEmbedLoss(None, relative_margin=-1),
            "relative_margin=-1",
        ),
        (lambda: losses.LambdaLoss(k=0), "`k` must be .* Received: k=0"),
        (lambda: losses.LambdaLoss(mu=-1), "`mu` must be .* Received: mu=-1"),
        (
            lambda: losses.ListNetLoss().check(np.ones((2, 1))),
            "ListNetLoss compares .* one document for each query",
        ),
        (
            lambda: losses.BinaryCrossEntropyLoss().check(
                np.array([[0.0, -np.inf], [1.0, 3.0]])
            ),
            "from 0 to 1 for Binary.* Received: 3 at index 1",
        ),
        (
            lambda: losses.LambdaLoss().check(np.array([[0.0, -1.0]])),
            "from 0 to 31 for LambdaLoss. Received: -1 at index 0",
        ),
    ],
)
def test_wrong_arguments_and_labels_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
