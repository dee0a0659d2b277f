"""Pre-training (arXiv 1810.04805, 3.1): from text to a checkpoint."""

from .batches.dynamic import MaskingOptions as MaskingOptions
from .batches.dynamic import dynamic_dataset as dynamic_dataset
from .batches.epoch_views import left_to_right_batches as left_to_right_batches
from .batches.epoch_views import permuted_batches as permuted_batches
from .batches.epoch_views import span_boundary_batches as span_boundary_batches
from .batches.epoch_views import token_batches as token_batches
from .batches.static import dataset as dataset
from .batches.static import endless_dataset as endless_dataset
from .corpus.byte_pair_learning import learn_byte_pair as learn_byte_pair
from .corpus.learning import measure_tokenizer as measure_tokenizer
from .corpus.sentencepiece_learning import (
    learn_sentencepiece as learn_sentencepiece,
)
from .corpus.sources import open_sources as open_sources
from .corpus.vocabulary_learning import learn_vocabulary as learn_vocabulary
from .corpus.vocabulary_learning import learn_wordpiece as learn_wordpiece
from .corpus.vocabulary_learning import measure_vocabulary as measure_vocabulary
from .objectives.objectives import Objective as Objective
from .objectives.objectives import losses as losses
from .objectives.objectives import metrics as metrics
from .objectives.terms import LabelTerm as LabelTerm
from .records.create_data import create_data as create_data
from .records.options import DataOptions as DataOptions
from .records.options import TextOptions as TextOptions
