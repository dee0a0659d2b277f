"""Masking rules for the number of masked tokens and their replacements.

They are used by static masking (`masking.py`, NumPy) and dynamic masking
(`batches/dynamic_masking.py`, TensorFlow).
"""

import dataclasses
import itertools

from keras_bert import checks

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
        masked_lm_prob: float, fraction of the tokens to predict.
        max_predictions_per_seq: int, maximum number of predictions in an
            example.
        mask_id: int, id of [MASK].
        vocab_size: int, size of the vocabulary. Random ids are below it.
        ngram: int, maximum number of words in a masked span. A span of n
            words has a probability proportional to 1 / n.
        substitutes: pair of floats, the fraction of masked tokens that become
            [MASK] and the fraction that stay unchanged. All others become
            random ids.
        num_special: int, number of special tokens per example. They are never
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
    substitutes: tuple = SUBSTITUTES
    num_special: int = _NUM_SPECIAL

    def num_predictions(self, num_maskable):
        """Return the number of predictions, between 1 and the limit.

        Args:
            num_maskable: int array, number of tokens without [CLS] and [SEP].
                As in google-research/bert, the fraction refers to the length
                that includes them.

        Returns:
            An int64 array.
        """
        length = num_maskable + self.num_special
        wanted = (length * self.masked_lm_prob).round().astype("int64")
        return wanted.clip(1, self.max_predictions_per_seq)

    def thresholds(self, end):
        """Return the thresholds that map a random number to a replacement.

        Returns:
            Pair of floats. A masked token becomes [MASK] below the first, stays
            unchanged below the second, and becomes a random id otherwise.
        """
        masked, kept = self.substitutes
        return masked * end, (masked + kept) * end

    def span_length_thresholds(self, end):
        """Return the thresholds that map a random number to a span length.

        Returns:
            A list of `ngram` - 1 ascending floats. For a uniform random number
            in [0, end), the length in words is 1 plus the number of thresholds
            that are not larger.
        """
        shares = [1 / length for length in range(1, self.ngram + 1)]
        sums = itertools.accumulate(shares[:-1])
        return [end * x / sum(shares) for x in sums]


def check_masking(
    masked_lm_prob, max_predictions_per_seq, max_seq_length, ngram=1
):
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
