"""Losses on the embeddings of texts, on any Keras backend."""

from .angle import AnglELoss as AnglELoss
from .cosent import CoSENTLoss as CoSENTLoss
from .cosine_similarity import CosineSimilarityLoss as CosineSimilarityLoss
from .distill_kl_div import DistillKLDivLoss as DistillKLDivLoss
from .embedding_loss import EmbeddingLoss as EmbeddingLoss
from .margin_mse import MarginMSELoss as MarginMSELoss
from .matryoshka import MatryoshkaLoss as MatryoshkaLoss
from .mse import MSELoss as MSELoss
from .multiple_negatives_ranking import (
    MultipleNegativesRankingLoss as MultipleNegativesRankingLoss,
)
from .triplet import TripletLoss as TripletLoss
