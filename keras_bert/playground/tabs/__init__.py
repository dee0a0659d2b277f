"""Tabs of the page, in order."""

from keras_bert.playground.tabs import attention
from keras_bert.playground.tabs import comparison
from keras_bert.playground.tabs import embeddings
from keras_bert.playground.tabs import input_representation
from keras_bert.playground.tabs import left_to_right
from keras_bert.playground.tabs import masking
from keras_bert.playground.tabs import next_sentence
from keras_bert.playground.tabs import replaced_tokens
from keras_bert.playground.tabs import tasks

TABS = [
    tasks.TAB,
    masking.TAB,
    next_sentence.TAB,
    input_representation.TAB,
    attention.TAB,
    left_to_right.TAB,
    replaced_tokens.TAB,
    embeddings.SIMILARITY,
    embeddings.MAP,
    comparison.TAB,
]
