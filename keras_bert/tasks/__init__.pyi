"""Tasks: classification, tagging, question answering, embeddings and more."""

from .denoising import fit_denoising as fit_denoising
from .embeddings.compression import compress_vectors as compress_vectors
from .embeddings.hard_negatives import (
    mine_hard_negatives as mine_hard_negatives,
)
from .embeddings.hard_negatives import (
    read_hard_negatives as read_hard_negatives,
)
from .embeddings.multi_vectors import MultiVectors as MultiVectors
from .embeddings.multi_vectors import max_sim as max_sim
from .embeddings.rank_fusion import fuse_rankings as fuse_rankings
from .embeddings.retrieval import evaluate_retrieval as evaluate_retrieval
from .embeddings.search import search as search
from .embeddings.token_pooling import pool_vectors as pool_vectors
from .ensemble import Ensemble as Ensemble
from .feature_classifiers import FeatureTextClassifier as FeatureTextClassifier
from .feature_classifiers import (
    FeatureTokenClassifier as FeatureTokenClassifier,
)
from .feature_extractor import FeatureExtractor as FeatureExtractor
from .few_shot_classifier import FewShotClassifier as FewShotClassifier
from .fill_mask import FillMask as FillMask
from .keras_model import text_model as text_model
from .late_interaction_embedder import (
    LateInteractionEmbedder as LateInteractionEmbedder,
)
from .loading import load_any_task as load_any_task
from .loading import load_task as load_task
from .multiple_choice import MultipleChoice as MultipleChoice
from .outputs.entity_scores import entity_scores as entity_scores
from .outputs.ranking_metrics import retrieval_metrics as retrieval_metrics
from .outputs.squad_scores import squad_scores as squad_scores
from .pair_ranker import PairRanker as PairRanker
from .question_answerer import QuestionAnswerer as QuestionAnswerer
from .readers.beir import RetrievalData as RetrievalData
from .readers.beir import read_beir as read_beir
from .readers.conll import read_conll as read_conll
from .readers.glue import read_glue as read_glue
from .readers.multiple_choice import read_codah as read_codah
from .readers.multiple_choice import read_swag as read_swag
from .readers.squad import read_squad as read_squad
from .readers.tables import read_columns as read_columns
from .readers.tables import read_table as read_table
from .readers.tfds import read_tfds as read_tfds
from .sparse_embedder import SparseEmbedder as SparseEmbedder
from .text_classifier import TextClassifier as TextClassifier
from .text_embedder import TextEmbedder as TextEmbedder
from .text_generator import TextGenerator as TextGenerator
from .text_regressor import TextRegressor as TextRegressor
from .token_classifier import TokenClassifier as TokenClassifier
from .zero_shot_classifier import ZeroShotClassifier as ZeroShotClassifier
