"""Losses on any Keras backend."""

from .angle import AnglELoss as AnglELoss
from .batch_hard_triplet import BatchHardTripletLoss as BatchHardTripletLoss
from .binary_cross_entropy import (
    BinaryCrossEntropyLoss as BinaryCrossEntropyLoss,
)
from .contrastive import ContrastiveLoss as ContrastiveLoss
from .cosent import CoSENTLoss as CoSENTLoss
from .cosine_similarity import CosineSimilarityLoss as CosineSimilarityLoss
from .distill_kl_div import DistillKLDivLoss as DistillKLDivLoss
from .embedding_loss import EmbeddingLoss as EmbeddingLoss
from .gist_embed import GISTEmbedLoss as GISTEmbedLoss
from .lambda_loss import LambdaLoss as LambdaLoss
from .list_net import ListNetLoss as ListNetLoss
from .margin_mse import MarginMSELoss as MarginMSELoss
from .matryoshka import MatryoshkaLoss as MatryoshkaLoss
from .mse import MSELoss as MSELoss
from .multiple_negatives_ranking import (
    MultipleNegativesRankingLoss as MultipleNegativesRankingLoss,
)
from .score_loss import ScoreLoss as ScoreLoss
from .score_margin_mse import ScoreMarginMSELoss as ScoreMarginMSELoss
from .score_mse import ScoreMSELoss as ScoreMSELoss
from .splade import SpladeLoss as SpladeLoss
from .triplet import TripletLoss as TripletLoss
