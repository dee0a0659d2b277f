"""Masking rules for the number of masked tokens and their replacements.

They are used by static masking (`masking.py`, NumPy) and dynamic masking
(`batches/dynamic_masking.py`, TensorFlow).
"""

import dataclasses
import itertools
import typing

from keras_bert import checks

if typing.TYPE_CHECKING:
    import numpy as np

# [CLS] and two [SEP] are never masked, but count for the length.
_NUM_SPECIAL = 3
_MAX_NGRAM = 10
# Fractions of the masked tokens that become [MASK] and that stay unchanged, as
# in the BERT paper. The others become random ids.
SUBSTITUTES = 0.8, 0.1


@dataclasses.dataclass(frozen=True)
class MaskingRules:
    """Rules for the number of masked tokens and their replacements.

    Args:
        masked_lm_prob: fraction of the tokens to predict.
        max_predictions_per_seq: maximum number of predictions in an example.
        mask_id: id of [MASK].
        vocab_size: size of the vocabulary. Random ids are below it.
        ngram: maximum number of words in a masked span. A span of n words has
            a probability proportional to 1 / n.
        substitutes: the fraction of masked tokens that become [MASK] and the
            fraction that stay unchanged. All others become random ids.
        num_special: number of special tokens per example. They are never
            masked, but the fraction refers to the length that includes them.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1, task 1;
        [ALBERT](https://arxiv.org/abs/1909.11942), section 4.1
    """

    masked_lm_prob: float
    max_predictions_per_seq: int
    mask_id: int
    vocab_size: int
    ngram: int = 1
    substitutes: tuple[float, float] = SUBSTITUTES
    num_special: int = _NUM_SPECIAL

    def num_predictions(self, num_maskable: "np.ndarray") -> "np.ndarray":
        """Return the number of predictions, between 1 and the limit.

        Args:
            num_maskable: int `(num_examples,)`, number of tokens without [CLS]
                and [SEP]. As in google-research/bert, the fraction refers to
                the length that includes them.

        Returns:
            int64 `(num_examples,)`.
        """
        length = num_maskable + self.num_special
        wanted = (length * self.masked_lm_prob).round().astype("int64")
        return wanted.clip(1, self.max_predictions_per_seq)

    def thresholds(self, end: float) -> tuple[float, float]:
        """Return the thresholds that map a random number to a replacement.

        Returns:
            Two thresholds. For a uniform random number in [0, end), a masked
            token becomes [MASK] below the first, stays unchanged below the
            second, and becomes a random id otherwise.
        """
        masked, kept = self.substitutes
        return masked * end, (masked + kept) * end

    def span_length_thresholds(self, end: float) -> list[float]:
        """Return the thresholds that map a random number to a span length.

        Returns:
            `ngram` - 1 ascending thresholds. For a uniform random number
            in [0, end), the length in words is 1 plus the number of thresholds
            that are not larger.
        """
        # The weights 1 / n need not sum to 1: `end` is divided by their sum.
        shares = [1 / length for length in range(1, self.ngram + 1)]
        sums = itertools.accumulate(shares[:-1])
        return [end * x / sum(shares) for x in sums]


def check_masking(
    masked_lm_prob: float,
    max_predictions_per_seq: int,
    max_seq_length: int,
    ngram: int = 1,
) -> None:
    """Raise ValueError if masking options contradict the sequence length."""
    most = max_seq_length - _NUM_SPECIAL
    if not 0 < max_predictions_per_seq <= most:
        raise ValueError(
            "`max_predictions_per_seq` must be at least 1 and at most "
            f"`max_seq_length` - {_NUM_SPECIAL}. Received: "
            f"max_predictions_per_seq={max_predictions_per_seq}, "
            f"max_seq_length={max_seq_length}."
        )
    checks.positive(masked_lm_prob=masked_lm_prob)
    checks.share(masked_lm_prob=masked_lm_prob)
    checks.between(1, _MAX_NGRAM, ngram=ngram)
