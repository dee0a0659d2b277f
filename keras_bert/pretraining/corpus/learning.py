"""Functions shared by all vocabulary trainers."""

import itertools
import typing
import zlib

import numpy as np

from keras_bert import lazy
from keras_bert.pretraining.corpus.sources import source_documents

_HELD_OUT_ONE_IN = 50
_MAX_HELD_OUT = 20_000
# The trainers allocate memory for all tokens at the start.
MAX_VOCAB_SIZE = 1_000_000
MAX_FREQUENCY = 1_000_000_000


def import_learner(name):
    """Import a trainer package, or raise an error with the pip command."""
    return lazy.import_package(name, "Learning a vocabulary")


def training_sentences(sources, held_out, bad_lines):
    """Yield the training sentences and add the others to `held_out`."""
    for document in source_documents(sources, bad_lines):
        for sentence in document:
            chosen = zlib.crc32(sentence) % _HELD_OUT_ONE_IN == 0
            if chosen and len(held_out) < _MAX_HELD_OUT:
                held_out.append(sentence)
            else:
                yield sentence.decode("utf-8")


def require_text(sentences, sources):
    """Skip leading blank sentences and raise ValueError if all are blank."""
    for sentence in sentences:
        if sentence.strip():
            return itertools.chain([sentence], sentences)
    raise ValueError(
        "The input must contain text with one sentence per line. Received: "
        f"{len(sources)} file(s) without words, such as {sources[0].name!r}."
    )


def measure_tokenizer(
    tokenizer: typing.Any, sentences: list
) -> tuple[float, float]:
    """Measure how well a tokenizer suits a text.

    Args:
        tokenizer: a `Tokenizer` of any kind.
        sentences: list of bytes or str.

    Returns:
        The fraction of unknown tokens and the mean number of tokens per word.
        Both are NaN if there is no text. A word begins with the first token of
        a sentence and with each token that is not a continuation.
    """
    rows = tokenizer(sentences)
    tokens = rows.values.numpy()
    continues = np.array(tokenizer.vocabulary.is_continuation)[tokens]
    splits = rows.row_splits.numpy()
    continues[splits[:-1][np.diff(splits) > 0]] = False
    num_words = np.count_nonzero(~continues)
    if not num_words:
        return float("nan"), float("nan")
    unknown = np.mean(tokens == tokenizer.vocabulary.unk_id)
    return float(unknown), float(len(tokens) / num_words)
