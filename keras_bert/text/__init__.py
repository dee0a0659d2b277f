"""Strings to ids, in the graph: TensorFlow and tensorflow-text only."""

from keras_bert import lazy

_MEMBERS = {
    "BertPreprocessor": "preprocessor",
    "BertTokenizer": "wordpiece.tokenizer",
    "BpeTokenizer": "bpe.tokenizer",
    "BytePairTokenizer": "byte_pair.tokenizer",
    "Preprocessor": "preprocessor",
    "SentencePieceTokenizer": "sentencepiece.tokenizer",
    "SentencePieceVocabulary": "sentencepiece.vocabulary",
    "Vocabulary": "wordpiece.vocabulary",
    "WordTokenizer": "words",
    "split_sentences": "sentences",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
