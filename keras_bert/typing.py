"""Type aliases for public annotations."""

import collections.abc
import os
import typing

Arguments = typing.ParamSpec("Arguments")
"""Arguments of a constructor that a function passes on."""

# Keras backends have no common tensor class, so type checkers accept any value.
# The name is for readers.
Tensor: typing.TypeAlias = typing.Any
"""Tensor, or what converts to one; docstrings state its dtype and shape.

As an argument: a tensor of the Keras backend (`tf.Tensor`, `jax.Array`), a
`keras.KerasTensor`, a NumPy array, or nested lists of numbers or of strings.
As a result: a tensor of the Keras backend, or a `keras.KerasTensor` if an
argument is one.
"""

Tensors: typing.TypeAlias = dict[str, Tensor]
"""Tensors by name."""

Texts: typing.TypeAlias = str | collections.abc.Iterable[typing.Any]
"""A text, or several: a list of str or of pairs of str, a NumPy array, a string
tensor, dicts or columns of texts.
"""

LabelNames: typing.TypeAlias = (
    collections.abc.Sequence[str]
    | collections.abc.Mapping[str, int]
    | collections.abc.Mapping[int, str]
)
"""Names of labels in order, or a dict of labels and their ids, such as the
`label2id` or the `id2label` of a config.
"""

Path: typing.TypeAlias = str | os.PathLike[str]
"""Path of a file or a directory."""
