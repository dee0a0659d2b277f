"""Masking rules: the number of masked tokens and their substitutes.

Static masking (`masking.py`, arrays) and dynamic masking
(`batches/dynamic_masking.py`, a graph) draw by these.
"""

import dataclasses
import itertools

from keras_bert import checks

# [CLS] and two [SEP]: never masked, but of the length that counts.
_NUM_SPECIAL = 3
_MAX_NGRAM = 10
# Shares of the masked tokens that become [MASK] and that stay as they are, as
# BERT was published; the others become random ids.
SUBSTITUTES = 0.8, 0.1


@dataclasses.dataclass(frozen=True)
class MaskingRules:
    """The number of masked tokens and their substitutes.

    Args:
        masked_lm_prob: float, share of the tokens to predict.
        max_predictions_per_seq: int, most predictions in an example.
        mask_id: int, id of [MASK].
        vocab_size: int, random ids are below it.
        ngram: int, the most words in a run that is masked; n in a row are
            drawn with a probability proportional to 1 / n.
        substitutes: two floats, the shares of them that become [MASK] and
            that stay as they are; the others become random ids.
        num_special: int, tokens of an example that are never masked but count
            for the share.

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
        """The share of the whole length, at least one, at most the limit.

        Args:
            num_maskable: int array, tokens without [CLS] and [SEP], which
                count as well in the published procedure.

        Returns:
            An int64 array.
        """
        length = num_maskable + self.num_special
        wanted = (length * self.masked_lm_prob).round().astype("int64")
        return wanted.clip(1, self.max_predictions_per_seq)

    def thresholds(self, end):
        """Limits for a uniform draw from 0 up to `end` for a masked token.

        Returns:
            Two floats: below the first it becomes [MASK], below the second it
            stays, above it becomes a random id.
        """
        masked, kept = self.substitutes
        return masked * end, (masked + kept) * end

    def run_length_thresholds(self, end):
        """Limits for a uniform draw from 0 up to `end` for the words of a run.

        Returns:
            A list of `ngram` - 1 floats, ascending: a run has one word more
            than there are thresholds at or below the draw.
        """
        shares = [1 / length for length in range(1, self.ngram + 1)]
        sums = itertools.accumulate(shares[:-1])
        return [end * x / sum(shares) for x in sums]


def check_masking(
    masked_lm_prob, max_predictions_per_seq, max_seq_length, ngram=1
):
    """Raises ValueError unless so much of so long an example can be masked."""
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
