"""The tabs of the page, in order."""

from keras_bert.playground.tabs import masking

TABS = [
    masking.TAB,
]
