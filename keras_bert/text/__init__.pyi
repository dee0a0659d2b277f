"""Tokenizers and preprocessors that run in the TensorFlow graph."""

from .bpe.byte_tokenizer import BytePairTokenizer as BytePairTokenizer
from .bpe.character_tokenizer import BpeTokenizer as BpeTokenizer
from .preprocessor import BertPreprocessor as BertPreprocessor
from .preprocessor import Preprocessor as Preprocessor
from .sentencepiece.tokenizer import (
    SentencePieceTokenizer as SentencePieceTokenizer,
)
from .sentencepiece.vocabulary import (
    SentencePieceVocabulary as SentencePieceVocabulary,
)
from .sentences import split_sentences as split_sentences
from .wordpiece.tokenizer import BertTokenizer as BertTokenizer
from .wordpiece.vocabulary import Vocabulary as Vocabulary
from .words import WordTokenizer as WordTokenizer
