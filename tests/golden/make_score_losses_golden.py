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
    kind.__init__.__globals__["CrossEncoder"] = _Scorer
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
    no_mu = {"weighting_scheme": losses.LambdaRankScheme()}
    cases = {
        "BinaryCrossEntropyLoss": (pairs, grades / 3, {}),
        "ScoreMSELoss": (pairs, grades, {}),
        "ListNetLoss": (listwise, listed, {}),
        "LambdaLoss": (listwise, listed, {}),
        "LambdaLoss_k": (listwise, listed, {"k": 2}),
        "LambdaLoss_mu": (listwise, listed, no_mu),
        "ScoreMarginMSELoss": (triplets, margins, {}),
    }

    def padded(values, padding=0.0):
        rows = np.full(is_valid.shape, padding, np.float32)
        rows[is_valid] = values
        return rows

    arrays = {"labels": padded(grades, -np.inf), "scores": padded(scores)}
    for name, (rows, labels, options) in cases.items():
        kind = getattr(losses, name.removeprefix("Score").partition("_")[0])
        loss, gradient = _compute(kind, rows, labels, scores, **options)
        arrays[name] = np.float32(loss)
        arrays[f"{name}_gradient"] = padded(gradient)
    path = pathlib.Path(__file__).with_name("score_losses.npz")
    np.savez(path, **arrays)


if __name__ == "__main__":
    main()
