"""Write the losses of sentence-transformers and their gradients.

`losses.npz` comes from sentence-transformers 6.2.0 with torch 2.13.0:

    pip install sentence-transformers==6.2.0 torch==2.13.0
    python tests/golden/make_losses_golden.py

The gradients are with respect to the embeddings, float32 `(batch_size,
num_texts, dim)`.
"""

import pathlib

import numpy as np
import torch
from sentence_transformers.sentence_transformer import losses

_BATCH, _DIM, _GUIDE_DIM = 9, 13, 7
_BOTH_WAYS = {
    "directions": ("query_to_doc", "doc_to_query"),
    "partition_mode": "per_direction",
}


class _Vectors(torch.nn.Module):
    """Model whose input is the embedding."""

    def forward(self, features):
        return {"sentence_embedding": features["vectors"]}

    def get_embedding_dimension(self):
        return _DIM


class _Guide(torch.nn.Module):
    """Guide whose embedding is an input."""

    def forward(self, features):
        return {"sentence_embedding": features["guide"]}


def _gist(model, **options):
    """Create the loss without the tokenizers of its models."""
    loss = losses.GISTEmbedLoss.__new__(losses.GISTEmbedLoss)
    torch.nn.Module.__init__(loss)
    loss.model, loss.guide, loss.must_retokenize = model, _Guide(), False
    loss.similarity_fct = torch.nn.CosineSimilarity(dim=-1)
    loss.cross_entropy_loss = torch.nn.CrossEntropyLoss()
    loss.contrast_anchors = loss.contrast_positives = True
    loss.gather_across_devices = False
    loss.temperature = options.get("temperature", 0.01)
    loss.margin = options.get("margin", 0.0)
    loss.margin_strategy = options.get("margin_strategy", "absolute")
    return loss


def main():
    random = np.random.default_rng(1)

    def draw(*shape):
        return 2 * random.normal(size=shape)

    def matryoshka(loss, dims=(13, 6, 3), weights=(1.0, 0.5, 2.0)):
        return losses.MatryoshkaLoss(model, loss, dims, weights)

    model = _Vectors()
    ranking = losses.MultipleNegativesRankingLoss
    scores = np.round(random.uniform(-1, 1, _BATCH), 1)  # With ties.
    cases = {
        "ranking": (ranking(model), 2, None),
        "ranking_negatives": (ranking(model, scale=5.0), 5, None),
        "symmetric": (ranking(model, **_BOTH_WAYS), 2, None),
        "symmetric_negatives": (ranking(model, **_BOTH_WAYS), 4, None),
        "cosine": (losses.CosineSimilarityLoss(model), 2, scores),
        "cosent": (losses.CoSENTLoss(model), 2, scores),
        "angle": (losses.AnglELoss(model, scale=10.0), 2, scores),
        "margin": (losses.MarginMSELoss(model), 3, draw(_BATCH)),
        "margins": (losses.MarginMSELoss(model), 5, draw(_BATCH, 3)),
        "margin_scores": (losses.MarginMSELoss(model), 5, draw(_BATCH, 4)),
        "kl": (
            losses.DistillKLDivLoss(model, temperature=2.0),
            5,
            draw(_BATCH, 4),
        ),
        "triplet": (losses.TripletLoss(model), 3, None),
        "mse": (losses.MSELoss(model), 2, draw(_BATCH, _DIM)),
        "matryoshka_ranking": (matryoshka(ranking(model)), 3, None),
        "matryoshka_cosent": (matryoshka(losses.CoSENTLoss(model)), 2, scores),
        "matryoshka_mse": (
            matryoshka(losses.MSELoss(model)),
            1,
            draw(_BATCH, _DIM),
        ),
    }
    classes = np.array([0, 1, 0, 2, 1, 0, 2, 3, 1.0])
    cases |= {
        "contrastive": (losses.ContrastiveLoss(model), 2, classes % 2),
        "contrastive_margin": (
            losses.ContrastiveLoss(model, margin=1.2),
            2,
            classes % 2,
        ),
        "batch_hard": (losses.BatchHardTripletLoss(model), 1, classes),
        "batch_hard_margin": (
            losses.BatchHardTripletLoss(model, margin=0.1),
            1,
            classes,
        ),
        "batch_hard_soft": (
            losses.BatchHardSoftMarginTripletLoss(model),
            1,
            classes,
        ),
    }
    cases |= {
        name: (_gist(model, **options), num_texts, "guide")
        for name, num_texts, options in (
            ("gist", 2, {}),
            ("gist_negatives", 3, {"temperature": 0.1, "margin": 0.05}),
            (
                "gist_relative",
                3,
                {"margin_strategy": "relative", "margin": 0.2},
            ),
        )
    }
    arrays = {}
    for name, (loss, num_texts, labels) in cases.items():
        vectors = draw(_BATCH, num_texts, _DIM).astype(np.float32)
        vectors[:, 1:] += vectors[:, :1] / 2  # So that no loss is constant.
        leaf = torch.tensor(vectors, requires_grad=True)
        features = [{"vectors": x} for x in leaf.unbind(1)]
        if isinstance(labels, str):
            guides = draw(_BATCH, num_texts, _GUIDE_DIM).astype(np.float32)
            guides[:, 1:] += guides[:, :1]
            arrays[f"{name}/labels"], labels = guides, None
            for one, guide in zip(features, torch.tensor(guides).unbind(1)):
                one["guide"] = guide
        arrays[f"{name}/embeddings"] = vectors
        if labels is not None:
            arrays[f"{name}/labels"] = labels = labels.astype(np.float32)
            labels = torch.tensor(labels)
        value = loss(features, labels)
        value.backward()
        arrays[f"{name}/loss"] = value.detach().numpy()
        arrays[f"{name}/gradient"] = leaf.grad.numpy()
    path = pathlib.Path(__file__).with_name("losses.npz")
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
