"""A tokenized corpus: three flat arrays, on disk or in memory."""

import dataclasses
import os
import pathlib

import numpy as np

from keras_bert.data.documents import read_documents

_BATCH_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Documents of sentences of token ids.

    Args:
        tokens: uint16 or uint32 `(num_tokens,)`, ids of the whole corpus.
        sentences: int64 `(num_sentences + 1,)`, where in `tokens` each
            sentence begins, and the end; no sentence is empty.
        documents: int64 `(num_documents + 1,)`, where in `sentences` each
            document begins, and the end; no document is empty.
    """

    tokens: np.ndarray
    sentences: np.ndarray
    documents: np.ndarray

    @property
    def num_documents(self):
        return len(self.documents) - 1

    @property
    def num_sentences(self):
        return len(self.sentences) - 1


def tokenize_corpus(paths, tokenizer, directory):
    """Tokenizes files once, into arrays that are mapped from disk.

    Memory does not grow with the corpus: the tokens go straight to a file in
    `directory`.

    Args:
        paths: list of str, files in the published form.
        tokenizer: a `BertTokenizer`.
        directory: str, where the file of the tokens is made.

    Returns:
        A `Corpus`.

    Raises:
        ValueError: a file is no text or there is no token at all.
    """
    dtype = np.uint16 if len(tokenizer.vocabulary) <= 1 << 16 else np.uint32
    tokens_path = pathlib.Path(directory, "tokens.bin")
    sentences, documents = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
    with open(tokens_path, "wb") as file:
        for batch in _batches(read_documents(paths)):
            tokens, sentence_lengths, document_lengths = _tokenize(
                batch, tokenizer
            )
            if not len(tokens):
                continue
            tokens.astype(dtype).tofile(file)
            sentences.append(sentences[-1][-1] + np.cumsum(sentence_lengths))
            documents.append(documents[-1][-1] + np.cumsum(document_lengths))
    if not os.path.getsize(tokens_path):
        raise ValueError(
            "Input must hold text, one sentence a line. Received: no word in "
            f"{len(paths)} file(s), the first {paths[0]!r}."
        )
    return Corpus(
        np.memmap(tokens_path, dtype, mode="r"),
        np.concatenate(sentences),
        np.concatenate(documents),
    )


def _batches(documents):
    """Groups documents into lists of about one megabyte."""
    batch, size = [], 0
    for document in documents:
        batch.append(document)
        size += sum(map(len, document))
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _tokenize(batch, tokenizer):
    """Ids, tokens per sentence and sentences per document of a batch.

    Sentences without a token are dropped, and then documents without a
    sentence.
    """
    ragged = tokenizer([line for document in batch for line in document])
    lengths = ragged.row_lengths().numpy()
    ends = np.cumsum([len(document) for document in batch])
    kept = np.concatenate([[0], np.cumsum(lengths > 0)])[ends]
    document_lengths = np.diff(kept, prepend=0)
    return (
        ragged.values.numpy(),
        lengths[lengths > 0],
        document_lengths[document_lengths > 0],
    )
