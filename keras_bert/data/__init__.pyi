"""Text to records to datasets, without a model."""

from .batches.dynamic import (
    dynamic_pretraining_dataset as dynamic_pretraining_dataset,
)
from .batches.static import (
    endless_pretraining_dataset as endless_pretraining_dataset,
)
from .batches.static import pretraining_dataset as pretraining_dataset
from .batches.views import left_to_right_batches as left_to_right_batches
from .batches.views import token_batches as token_batches
from .corpus.byte_pair_learning import learn_byte_pair as learn_byte_pair
from .corpus.learning import measure_tokenizer as measure_tokenizer
from .corpus.sentencepiece_learning import (
    learn_sentencepiece as learn_sentencepiece,
)
from .corpus.sources import open_sources as open_sources
from .corpus.vocabulary_learning import learn_vocabulary as learn_vocabulary
from .corpus.vocabulary_learning import learn_wordpiece as learn_wordpiece
from .corpus.vocabulary_learning import measure_vocabulary as measure_vocabulary
from .examples.options import PretrainingDataOptions as PretrainingDataOptions
from .examples.options import TextOptions as TextOptions
from .jobs.job import create_pretraining_data as create_pretraining_data
from .labelled.conll import read_conll as read_conll
from .labelled.glue import read_glue as read_glue
from .labelled.multiple_choice import read_codah as read_codah
from .labelled.multiple_choice import read_swag as read_swag
from .labelled.squad import read_squad as read_squad
from .labelled.tables import read_columns as read_columns
from .labelled.tables import read_table as read_table
from .labelled.tfds import read_tfds as read_tfds
