"""Choices with their probabilities."""

from keras_bert.playground.pictures.markup import bar
from keras_bert.playground.pictures.markup import table


def choice_picture(choices):
    """Pairs of a choice and its probability, as `Html`."""
    rows = [[choice, bar(share)] for choice, share in choices]
    return table(["Choice", "Probability"], rows)
