"""Tokenized corpus in three memory-mapped arrays."""

import mmap
import pathlib
import shutil

import numpy as np

from keras_bert.files.atomic import atomic_file

_TOKENS, _SENTENCES, _DOCUMENTS = "tokens.bin", "sentences.bin", "documents.bin"
# Bit that marks tokens that continue a word, if the words are segmented.
CONTINUES = 1 << 31
# Memory maps up to this size stay in memory; `release` frees the pages of
# larger maps.
_MAX_RESIDENT_BYTES = 1 << 25


class Corpus:
    """Tokenized documents and their sentences.

    Attributes:
        tokens: uint16 or uint32 `(num_tokens,)`, ids of the whole corpus. With
            segmented words, tokens that continue a word have the bit
            `CONTINUES` set.
        sentences: int64 `(num_sentences + 1,)`, start of each sentence in
            `tokens`, and the end of the last one. No sentence is empty.
        documents: int64 `(num_documents + 1,)`, start of each document in
            `sentences`, and the end of the last one. No document is empty.
    """

    def __init__(self, tokens, sentences, documents):
        self.tokens = tokens
        self.sentences = sentences
        self.documents = documents
        self._maps = []

    @classmethod
    def open(cls, directory, vocab_size, segmented_words=False):
        """Open the files written by `join_chunks` as memory-mapped arrays."""
        corpus = cls(None, None, None)
        dtype = token_dtype(vocab_size, segmented_words)
        corpus.tokens = corpus._map(directory, _TOKENS, dtype)
        corpus.sentences = corpus._map(directory, _SENTENCES, np.int64)
        corpus.documents = corpus._map(directory, _DOCUMENTS, np.int64)
        return corpus

    @classmethod
    def of_lengths(cls, tokens, sentences, documents):
        """Create a corpus in memory from sentence and document lengths.

        Args:
            tokens: uint16 or uint32 `(num_tokens,)`.
            sentences: int `(num_sentences,)`, number of tokens per sentence.
            documents: int `(num_documents,)`, number of sentences per
                document.
        """
        splits = (
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
            for lengths in (sentences, documents)
        )
        return cls(tokens, *splits)

    def _map(self, directory, name, dtype):
        with open(pathlib.Path(directory, name), "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(mapped) > _MAX_RESIDENT_BYTES and hasattr(mapped, "madvise"):
            # Accesses are random, so the kernel must not read ahead.
            mapped.madvise(mmap.MADV_RANDOM)
            self._maps.append(mapped)
        return np.frombuffer(mapped, dtype)

    def release(self):
        """Free the mapped pages, so that memory use does not grow."""
        for mapped in self._maps:
            mapped.madvise(mmap.MADV_DONTNEED)

    @property
    def num_documents(self):
        return len(self.documents) - 1


def token_dtype(vocab_size, segmented_words):
    """Return the smallest unsigned dtype for the tokens."""
    small = vocab_size <= 1 << 16 and not segmented_words
    return np.uint16 if small else np.uint32


def join_chunks(stems, directory):
    """Join the files of all chunks into a corpus and delete them.

    Args:
        stems: list of str, paths of the chunks without suffix.
        directory: path of the corpus. `documents.bin` is written last.
    """
    tokens = pathlib.Path(directory, _TOKENS)
    with atomic_file(tokens) as name, open(name, "wb") as joined:
        for stem in stems:
            with open(f"{stem}.tokens", "rb") as file:
                shutil.copyfileobj(file, joined, 1 << 22)
    for suffix, name in (("sentences", _SENTENCES), ("documents", _DOCUMENTS)):
        paths = [f"{stem}.{suffix}" for stem in stems]
        _join_lengths(paths, pathlib.Path(directory, name))
    for stem in stems:
        for suffix in ("tokens", "sentences", "documents"):
            pathlib.Path(f"{stem}.{suffix}").unlink(missing_ok=True)


def is_joined(directory):
    """Return True if `join_chunks` has finished."""
    return pathlib.Path(directory, _DOCUMENTS).exists()


def _join_lengths(paths, path):
    """Convert files with lengths to a single file with start positions."""
    end = 0
    with atomic_file(path) as name, open(name, "wb") as joined:
        joined.write(np.int64(end))
        for lengths in (np.fromfile(part, np.uint32) for part in paths):
            ends = end + np.cumsum(lengths, dtype=np.int64)
            joined.write(ends)
            end = int(ends[-1]) if len(ends) else end
