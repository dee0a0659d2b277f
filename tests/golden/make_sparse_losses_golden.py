"""Write the losses of sentence-transformers' sparse encoders.

`sparse_losses.npz` comes from sentence-transformers 6.2.0 with torch 2.13.0:

    pip install sentence-transformers==6.2.0 torch==2.13.0
    python tests/golden/make_sparse_losses_golden.py

The gradients are with respect to the embeddings, float32 `(batch_size,
num_texts, dim)`, which are 0 or more.
"""

import pathlib

import numpy as np
import torch
from sentence_transformers.sparse_encoder import losses

_BATCH, _DIM = 9, 13


class _Vectors(torch.nn.Module):
    """Model whose input is the embedding."""

    def forward(self, features):
        return {"sentence_embedding": features["vectors"]}


def main():
    random = np.random.default_rng(2)
    model = _Vectors()
    ranking = losses.SparseMultipleNegativesRankingLoss(model)
    margin = losses.SparseMarginMSELoss(model)
    divergence = losses.SparseDistillKLDivLoss(model)
    weights = {
        "document_regularizer_weight": 0.3,
        "query_regularizer_weight": 0.5,
    }
    thresholds = {
        "document_regularizer_threshold": 7,
        "query_regularizer_threshold": 6,
    }
    cases = {
        "ranking": (ranking, 2, None, weights),
        "ranking_negatives": (ranking, 5, None, weights),
        "documents_only": (
            ranking,
            3,
            None,
            {"document_regularizer_weight": 2.0},
        ),
        "thresholds": (ranking, 3, None, {**weights, **thresholds}),
        "margin": (margin, 3, (_BATCH,), weights),
        "margins": (margin, 5, (_BATCH, 3), weights),
        "kl": (divergence, 5, (_BATCH, 4), weights),
    }
    arrays = {}
    for name, (loss, num_texts, shape, options) in cases.items():
        vectors = random.normal(size=(_BATCH, num_texts, _DIM))
        vectors = np.maximum(vectors, 0).astype(np.float32)
        leaf = torch.tensor(vectors, requires_grad=True)
        labels = None
        arrays[f"{name}/embeddings"] = vectors
        if shape is not None:
            labels = (2 * random.normal(size=shape)).astype(np.float32)
            arrays[f"{name}/labels"] = labels
            labels = torch.tensor(labels)
        features = [{"vectors": x} for x in leaf.unbind(1)]
        value = sum(
            losses.SpladeLoss(model, loss, **options)(features, labels).values()
        )
        value.backward()
        arrays[f"{name}/loss"] = value.detach().numpy()
        arrays[f"{name}/gradient"] = leaf.grad.numpy()
    path = pathlib.Path(__file__).with_name("sparse_losses.npz")
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
