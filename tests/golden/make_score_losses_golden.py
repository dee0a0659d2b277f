"""Write the losses of sentence-transformers' cross-encoders.

`score_losses.npz` comes from sentence-transformers 6.2.0 and torch 2.13.0 on
Python 3.11:

    pip install sentence-transformers==6.2.0 torch==2.13.0 numpy==2.4.6
    python tests/golden/make_score_losses_golden.py

Three queries have 4, 2 and 3 documents. Arrays are padded with minus infinity
(labels) and 0; `<name>_gradient` is with respect to the scores.
"""

import pathlib

import numpy as np
import torch
from sentence_transformers.cross_encoder import losses

_COUNTS = (4, 2, 3)
_SIZE = max(_COUNTS)


class _Scorer(torch.nn.Module):
    """Stand-in for a model that returns given scores of numbered pairs."""

    num_labels = 1
    device = "cpu"

    def __init__(self, scores):
        super().__init__()
        self.scores = scores

    def preprocess(self, pairs, **kwargs):
        return {"index": torch.tensor([index for _, index in pairs])}

    def forward(self, inputs):
        return {"scores": self.scores[inputs["index"]][:, None]}


def _compute(kind, rows, labels, scores, **options):
    """Return a loss and its gradient."""
    scores = scores.clone().requires_grad_()
    losses.BinaryCrossEntropyLoss.__init__.__globals__["CrossEncoder"] = _Scorer
    losses.MSELoss.__init__.__globals__["CrossEncoder"] = _Scorer
    losses.MarginMSELoss.__init__.__globals__["CrossEncoder"] = _Scorer
    loss = kind(_Scorer(scores), **options)(rows, labels)
    loss.backward()
    return loss.item(), scores.grad.numpy()


def main():
    generator = torch.Generator().manual_seed(1)
    scores = 3 * torch.randn(sum(_COUNTS), generator=generator)
    grades = torch.randint(0, 4, (sum(_COUNTS),), generator=generator).float()
    grades[[0, 4, 6]] = torch.tensor([3.0, 1.0, 2.0])
    is_valid = np.arange(_SIZE) < np.array(_COUNTS)[:, None]
    numbers = [*range(len(scores))]
    firsts = np.cumsum(_COUNTS) - _COUNTS
    lists = [numbers[i : i + n] for i, n in zip(firsts, _COUNTS, strict=True)]
    queries = [0] * len(lists)
    listwise = [queries, lists]
    pairs = [[0] * len(numbers), numbers]
    listed = [grades[x] for x in lists]
    # All queries of MarginMSE have two documents.
    triplets = [queries, *np.transpose([x[:2] for x in lists]).tolist()]
    margins = torch.stack([grades[x[:2]] for x in lists])
    k, no_mu = {"k": 2}, {"weighting_scheme": losses.LambdaRankScheme()}
    found = {
        "BinaryCrossEntropyLoss": _compute(
            losses.BinaryCrossEntropyLoss, pairs, grades / 3, scores
        ),
        "ScoreMSELoss": _compute(losses.MSELoss, pairs, grades, scores),
        "ListNetLoss": _compute(losses.ListNetLoss, listwise, listed, scores),
        "LambdaLoss": _compute(losses.LambdaLoss, listwise, listed, scores),
        "LambdaLoss_k": _compute(
            losses.LambdaLoss, listwise, listed, scores, **k
        ),
        "LambdaLoss_mu": _compute(
            losses.LambdaLoss, listwise, listed, scores, **no_mu
        ),
        "ScoreMarginMSELoss": _compute(
            losses.MarginMSELoss, triplets, margins, scores
        ),
    }
    arrays = {"labels": np.full(is_valid.shape, -np.inf, np.float32)}
    arrays["labels"][is_valid] = grades.numpy()
    for name, values in {"scores": scores.numpy()}.items():
        arrays[name] = np.zeros(is_valid.shape, np.float32)
        arrays[name][is_valid] = values
    for name, (loss, gradient) in found.items():
        arrays[name] = np.float32(loss)
        arrays[f"{name}_gradient"] = np.zeros(is_valid.shape, np.float32)
        arrays[f"{name}_gradient"][is_valid] = gradient
    path = pathlib.Path(__file__).with_name("score_losses.npz")
    np.savez(path, **arrays)


if __name__ == "__main__":
    main()
