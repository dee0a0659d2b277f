"""Writer for the token files of a text chunk."""

import collections
import contextlib
import re

import numpy as np

from keras_bert.pretraining.corpus.token_store import CONTINUES
from keras_bert.pretraining.corpus.token_store import token_dtype
from keras_bert.text.host_tokenizer import HostTokenizer

_BATCH_BYTES = 1 << 20
# White space of BERT's tokenizer, as UTF-8.
_SPACES = re.compile(
    rb"[\t\n\r]|\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f"
    rb"|\xe3\x80\x80"
)


def batch_lines(lines):
    """Group lines into lists of about one megabyte."""
    batch, size = [], 0
    for line in lines:
        batch.append(line)
        size += len(line) + 1
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class ChunkWriter:
    """Writer that tokenizes the lines of a text chunk and stores the tokens.

    The files are `stem.tokens`, `stem.sentences` and `stem.documents`. The
    last two contain lengths as uint32. A document may span several batches.

    Args:
        stem: str, path of the files without suffix.
        tokenizer: a `Tokenizer`.
        segmented_words: bool, whether only spaces separate words.
        lexicon: `Lexicon` of entries that count as one word, or None. If a
            lexicon is given or `segmented_words` is True, tokens that continue
            a word have the bit `CONTINUES` set.
    """

    def __init__(self, stem, tokenizer, segmented_words=False, lexicon=None):
        self._tokenizer = tokenizer
        self._segmented_words = segmented_words
        self._lexicon = lexicon
        self._marks_words = segmented_words or lexicon is not None
        vocabulary = tokenizer.vocabulary
        self._dtype = token_dtype(len(vocabulary), self._marks_words)
        self._continues = np.array(vocabulary.is_continuation)
        self._unknown_id = vocabulary.unk_id
        self._left_over = 0  # Number of sentences in the unfinished document.
        self._files = contextlib.ExitStack()
        self._tokens, self._sentences, self._documents = (
            self._files.enter_context(open(f"{stem}.{name}", "wb"))
            for name in ("tokens", "sentences", "documents")
        )

    def __enter__(self):
        return self

    def __exit__(self, error_type, error, traceback):
        if error_type is None and self._left_over:
            self._write(self._documents, [self._left_over], np.uint32)
        self._files.close()

    def write(self, batch):
        """Tokenize and write lines. An empty line ends a document.

        Args:
            batch: list of bytes, the lines.

        Returns:
            Counter with the numbers of new "documents", "sentences", "tokens",
            "unknown" tokens and "continuations" (tokens that continue a word).
        """
        lines = [line for line in batch if line]
        tokens, continues, lengths = self._tokenize(lines)
        begins = self._left_over == 0
        documents = self._document_lengths(batch, lengths)
        marked = tokens.astype(self._dtype)
        if self._marks_words:
            marked |= np.where(continues, CONTINUES, 0).astype(self._dtype)
        self._write(self._tokens, marked, self._dtype)
        self._write(self._sentences, lengths[lengths > 0], np.uint32)
        self._write(self._documents, documents, np.uint32)
        return collections.Counter(
            documents=len(documents) + (self._left_over > 0) - (not begins),
            sentences=int(np.count_nonzero(lengths)),
            tokens=len(tokens),
            unknown=int(np.count_nonzero(tokens == self._unknown_id)),
            continuations=int(np.count_nonzero(continues)),
        )

    def _tokenize(self, lines):
        if not self._marks_words:
            if isinstance(self._tokenizer, HostTokenizer):
                tokens, lengths = self._tokenizer.flat_ids(lines)
            else:
                tokens, lengths = _flat(self._tokenizer(lines))
            return tokens, self._continues[tokens], lengths
        rows, _, ends = self._tokenizer.tokenize_with_offsets(lines)
        tokens, lengths = _flat(rows)
        line_starts = np.cumsum([1, *(len(line) + 1 for line in lines)])[:-1]
        line_offsets = np.repeat(line_starts, lengths)
        # A piece may begin with a space, but contains no further spaces.
        ends = _flat(ends)[0] + line_offsets
        before = np.concatenate([[0], ends])[:-1]
        if self._segmented_words:
            text = b" ".join([b"", *lines])
            continues = _no_space_between(text, before, ends)
        else:
            continues = self._continues[tokens]
        if self._lexicon is not None:
            # The last byte of a token is before its end.
            groups = self._lexicon.groups(lines)
            last, previous = groups[ends - 1], groups[np.maximum(before - 1, 0)]
            continues = continues | ((last > 0) & (last == previous))
        return tokens, continues, lengths

    def _document_lengths(self, batch, lengths):
        """Return the number of sentences in each document ending in this batch.

        Sentences without tokens are dropped, and then documents without
        sentences. Sentences after the last empty line are kept for the next
        batch.
        """
        is_line = np.array([bool(line) for line in batch])
        kept = np.concatenate([[0], np.cumsum(lengths > 0)])
        ends = kept[np.cumsum(is_line)[~is_line]]
        documents = np.diff(ends, prepend=-self._left_over)
        begun = ends[-1] if len(ends) else -self._left_over
        self._left_over = int(kept[-1] - begun)
        return documents[documents > 0]

    def _write(self, file, values, dtype):
        file.write(np.ascontiguousarray(values, dtype))


def _flat(rows):
    """Return the concatenated rows of any tokenizer, and the row lengths."""
    if isinstance(rows, list):  # From a `HostTokenizer`.
        lengths = np.array([*map(len, rows)], np.int64)
        return np.concatenate([np.empty(0, np.int32), *rows]), lengths
    return rows.values.numpy(), rows.row_lengths().numpy()


def _no_space_between(text, starts, ends):
    """Return a bool array, True for byte spans that have no white space."""
    text = _SPACES.sub(lambda match: b" " * len(match[0]), text)
    is_space = np.frombuffer(text, np.uint8) == ord(" ")
    spaces = np.concatenate([[0], np.cumsum(is_space, dtype=np.int64)])
    return spaces[starts] == spaces[ends]
