"""The texts of examples as places in a corpus; no token is touched."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Segments:
    """A and B of many examples, before special tokens.

    Args:
        first_start: int64 `(num_examples,)`, first token of A in
            `Corpus.tokens`.
        first_length: int64 `(num_examples,)`, tokens of A.
        second_start: int64 `(num_examples,)`, first token of B.
        second_length: int64 `(num_examples,)`, tokens of B; 0 where A is all.
        label: bool `(num_examples,)`, what `next_sentence_labels` will say.
        num_cut: int64 `(num_examples,)`, tokens of the walked document that
            neither this example nor another one of the pass holds.
    """

    first_start: np.ndarray
    first_length: np.ndarray
    second_start: np.ndarray
    second_length: np.ndarray
    label: np.ndarray
    num_cut: np.ndarray

    def __len__(self):
        return len(self.label)

    def __getitem__(self, rows):
        return Segments(
            *(getattr(self, f.name)[rows] for f in dataclasses.fields(self))
        )

    @classmethod
    def concatenate(cls, parts):
        return cls(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in dataclasses.fields(cls)
            )
        )

    @classmethod
    def of_one_text(cls, start, length):
        """Examples without B."""
        zeros = np.zeros_like(start)
        return cls(start, length, start, zeros, zeros.astype(bool), zeros)

    @property
    def num_tokens(self):
        """int64 `(num_examples,)`, of [CLS] A [SEP] or [CLS] A [SEP] B [SEP].

        Of texts that cross the end of a document, only once separators stand
        there; see `copy_tokens`.
        """
        num_special = np.where(self.second_length > 0, 3, 2)
        return self.first_length + self.second_length + num_special


def ranges(starts, lengths):
    """The integers of all ranges, one after the other, int64."""
    ends = np.cumsum(lengths)
    total = ends[-1] if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)
