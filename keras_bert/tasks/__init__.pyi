"""Tasks: classification, tagging, question answering, embeddings and more."""

from .answers.squad_scores import squad_scores as squad_scores
from .embeddings.compression import compress_vectors as compress_vectors
from .embeddings.denoising import fit_denoising as fit_denoising
from .embeddings.hard_negatives import (
    mine_hard_negatives as mine_hard_negatives,
)
from .embeddings.hard_negatives import (
    read_hard_negatives as read_hard_negatives,
)
from .embeddings.ranking_metrics import retrieval_metrics as retrieval_metrics
from .embeddings.retrieval import evaluate_retrieval as evaluate_retrieval
from .embeddings.search import search as search
from .ensemble import Ensemble as Ensemble
from .feature_classifiers import FeatureTextClassifier as FeatureTextClassifier
from .feature_classifiers import (
    FeatureTokenClassifier as FeatureTokenClassifier,
)
from .feature_extractor import FeatureExtractor as FeatureExtractor
from .few_shot_classifier import FewShotClassifier as FewShotClassifier
from .fill_mask import FillMask as FillMask
from .keras_model import text_model as text_model
from .labelled.beir import RetrievalData as RetrievalData
from .labelled.beir import read_beir as read_beir
from .labelled.conll import read_conll as read_conll
from .labelled.glue import read_glue as read_glue
from .labelled.multiple_choice import read_codah as read_codah
from .labelled.multiple_choice import read_swag as read_swag
from .labelled.squad import read_squad as read_squad
from .labelled.tables import read_columns as read_columns
from .labelled.tables import read_table as read_table
from .labelled.tfds import read_tfds as read_tfds
from .loading import load_any_task as load_any_task
from .loading import load_task as load_task
from .multiple_choice import MultipleChoice as MultipleChoice
from .pair_ranker import PairRanker as PairRanker
from .question_answerer import QuestionAnswerer as QuestionAnswerer
from .tags.entity_scores import entity_scores as entity_scores
from .text_classifier import TextClassifier as TextClassifier
from .text_embedder import TextEmbedder as TextEmbedder
from .text_generator import TextGenerator as TextGenerator
from .text_regressor import TextRegressor as TextRegressor
from .token_classifier import TokenClassifier as TokenClassifier
from .zero_shot_classifier import ZeroShotClassifier as ZeroShotClassifier
