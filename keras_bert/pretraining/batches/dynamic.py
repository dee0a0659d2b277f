"""`tf.data` pipelines for dynamic records, which are masked in each epoch."""

import dataclasses
import functools
from collections.abc import Callable
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from keras_bert import checks
from keras_bert import features
from keras_bert.pretraining.batches.dynamic_masking import mask_spans
from keras_bert.pretraining.batches.dynamic_masking import mask_tokens_in_graph
from keras_bert.pretraining.batches.epochs import SHUFFLE_EXAMPLES
from keras_bert.pretraining.batches.epochs import endless_batches
from keras_bert.pretraining.batches.epochs import map_batches
from keras_bert.pretraining.batches.epochs import number_batches
from keras_bert.pretraining.batches.epochs import read_records
from keras_bert.pretraining.batches.static import Batch
from keras_bert.pretraining.batches.static import as_batch
from keras_bert.pretraining.batches.static import assert_known_ids
from keras_bert.pretraining.records.first_record import check_first_records
from keras_bert.pretraining.records.masking_rules import SUBSTITUTES
from keras_bert.pretraining.records.masking_rules import MaskingRules
from keras_bert.pretraining.records.masking_rules import check_masking
from keras_bert.pretraining.records.record_form import parse_examples
from keras_bert.pretraining.records.span_masking import SpanMaskingRules
from keras_bert.typing import Tensors


@dataclasses.dataclass(frozen=True)
class MaskingOptions:
    """Options for masking dynamic records in each epoch.

    Args:
        mask_id: id of [MASK].
        masked_lm_prob: fraction of the tokens to mask.
        do_whole_word_mask: whether to mask whole words.
        ngram: maximum number of words in a masked span, or of pieces without
            `do_whole_word_mask`. Short spans are sampled more often.
        substitutes: the fraction of masked tokens that become [MASK] and the
            fraction that stay unchanged. All others become random ids.
        span_masking: whether to mask spans of up to `ngram` words as in
            SpanBERT. Span lengths are geometric, each span has a single
            substitute, and random words are sampled by their frequency in the
            records.
        mask_special_tokens: whether to mask [CLS] and [SEP] like other tokens.
        pad_id: id of the padding token.
        sep_id: id of [SEP]. Required for records without pairs, where [SEP] may
            separate documents.
        cls_id: id of [CLS]. Pass it for records with several texts, created
            with `packing="best_fit"`, and None for all others.
    """

    mask_id: int
    masked_lm_prob: float = 0.15
    do_whole_word_mask: bool = False
    ngram: int = 1
    substitutes: tuple[float, float] = SUBSTITUTES
    span_masking: bool = False
    mask_special_tokens: bool = False
    pad_id: int = 0
    sep_id: int | None = None
    cls_id: int | None = None

    def rules(
        self, max_predictions_per_seq: int, vocab_size: int
    ) -> MaskingRules:
        """Return `MaskingRules` with a limit on the number of predictions.

        :meta private:
        """
        rules_class = SpanMaskingRules if self.span_masking else MaskingRules
        rules = rules_class(
            self.masked_lm_prob,
            max_predictions_per_seq,
            self.mask_id,
            vocab_size,
            self.ngram,
            self.substitutes,
        )
        # Special tokens that can be masked are counted with the others. With
        # several texts, the number of special tokens differs between rows.
        if self.mask_special_tokens or self.cls_id is not None:
            rules = dataclasses.replace(rules, num_special=0)
        return rules


def dynamic_dataset(
    paths: list[str],
    batch_size: int,
    max_seq_length: int,
    max_predictions_per_seq: int,
    vocab_size: int,
    masking: MaskingOptions,
    seed: int,
    epoch: int | None = None,
    first_batch: int = 0,
) -> tf.data.Dataset:
    """Read dynamic records and mask them.

    The masks depend only on the seed, the epoch and the position of the example
    in the epoch.

    Args:
        paths: TFRecord files created by `pretraining.create_data` with
            `masking="dynamic"`.
        batch_size: number of examples in a batch.
        max_seq_length: length to pad to. No record may be longer.
        max_predictions_per_seq: maximum number of masked tokens in an example.
        vocab_size: size of the vocabulary. All ids must be below it.
        masking: masking options.
        seed: random seed for the order and the masks.
        epoch: epoch number, which determines the masks of an evaluation. The
            dataset is then a single pass in file order, and its last batch may
            be smaller. If None, the dataset is endless, has full batches, and
            is shuffled and masked differently in each epoch.
        first_batch: number of batches of the endless dataset to skip, to
            resume a run.

    Returns:
        A dataset with the same batches as `pretraining.dataset`. If
        `masking.cls_id` is set, the inputs also contain `text_numbers`, int32
        `(batch_size, max_seq_length)`: for each token, the number of its text,
        from 1; 0 at padding.

    Raises:
        ValueError: an argument is out of range, or the first record of a file
            lacks a feature, is too long or has an id outside the vocabulary.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.1
    """
    checks.at_least(1, batch_size=batch_size)
    check_masking(
        masking.masked_lm_prob,
        max_predictions_per_seq,
        max_seq_length,
        masking.ngram,
    )
    checks.between(0, vocab_size - 1, mask_id=masking.mask_id)
    rules = masking.rules(max_predictions_per_seq, vocab_size)
    lengths = {features.MAX_SEQ_LENGTH: max_seq_length}
    check_first_records(paths, "dynamic", lengths, vocab_size)
    mask = mask_tokens_in_graph
    if masking.span_masking:
        words = _sample_words(paths, masking)
        mask = functools.partial(mask_spans, words=words)
    if epoch is None:
        batches = endless_batches(paths, seed, batch_size, first_batch)
    else:
        files = tf.data.Dataset.from_tensor_slices(paths)
        records = read_records(files, len(paths)).batch(batch_size)
        batches = number_batches(records, batch_size, epoch)
    return map_batches(
        batches,
        lambda *batch: _make_batch(
            *batch, max_seq_length, rules, seed, masking, mask
        ),
    ).prefetch(tf.data.AUTOTUNE)


def _sample_words(paths: list[str], masking: MaskingOptions) -> np.ndarray:
    """Return the ids to sample random words from, int32 `(num_words,)`.

    They are the tokens in the first records of all files, without special
    tokens.
    """
    files = tf.data.Dataset.from_tensor_slices(paths)
    records = read_records(files, len(paths)).take(SHUFFLE_EXAMPLES)
    ids = [
        parse_examples(batch, (features.TOKEN_IDS,), {})[
            features.TOKEN_IDS.name
        ][:, 1:-1].flat_values.numpy()
        for batch in records.batch(1024)
    ]
    ids = np.concatenate(ids).astype(np.int32)
    # [SEP] and [CLS] also occur between the parts of a row.
    special = {masking.mask_id, masking.sep_id, masking.cls_id} - {None}
    return ids[~np.isin(ids, [*special])]


def _make_batch(
    epoch: tf.Tensor,
    first: tf.Tensor,
    serialized: tf.Tensor,
    max_seq_length: int,
    rules: MaskingRules,
    seed: int,
    masking: MaskingOptions,
    mask: Callable[..., Sequence[tf.Tensor]],
) -> Batch:
    """Parse records and mask them.

    Args:
        epoch: int64 scalar.
        first: int64 scalar, index of the first record in the epoch.
        serialized: string `(batch_size,)`.
        max_seq_length: length to pad to.
        rules: number of predictions and replacements.
        seed: random seed of the masks.
        masking: ids of special tokens, and whether to mask whole words.
        mask: `mask_tokens_in_graph`, or `mask_spans` with its words.
    """
    sep_id, cls_id = masking.sep_id, masking.cls_id
    parsed = _parse(serialized, max_seq_length, sep_id)
    num_tokens = parsed[features.TOKEN_IDS.name].row_lengths()[:, None]
    boundary = parsed[features.SEGMENT_BOUNDARY.name]  # [B, 1]
    # Ragged tokens become [B, S].
    shape = [None, max_seq_length]
    ids = parsed[features.TOKEN_IDS.name].to_tensor(masking.pad_id, shape=shape)
    word_starts = parsed[features.WORD_STARTS.name].to_tensor(shape=shape)
    ids, word_starts = tf.cast(ids, tf.int32), tf.cast(word_starts, tf.int32)
    assert_known_ids(features.TOKEN_IDS, ids, rules.vocab_size)
    position = tf.range(max_seq_length, dtype=tf.int64)
    is_token = position < num_tokens  # [B, S]
    # Exclude [CLS], the last [SEP] and the [SEP] before B. In a single text,
    # the boundary is the length, so the last two are the same token.
    maskable = (position > 0) & (position < num_tokens - 1)
    maskable &= position != boundary - 1
    # Rows may contain more: [SEP] between documents, [CLS] before each text.
    for special_id in (sep_id, cls_id):
        if special_id is not None:
            maskable &= ids != special_id
    if masking.mask_special_tokens:
        # Each special token counts as a word.
        word_starts = tf.where(is_token & ~maskable, 1, word_starts)
        maskable = is_token
    masked_ids, positions, labels, weights = mask(
        ids,
        maskable,
        rules,
        seed,
        epoch,
        first,
        word_starts if masking.do_whole_word_mask else None,
    )
    # In the order of the schema of static records.
    values = (
        masked_ids,
        is_token,
        is_token & (position >= boundary),
        positions,
        labels,
        weights,
        parsed[features.NEXT_SENTENCE_LABELS.name],
    )
    names = [feature.name for feature in features.PRETRAINING_FEATURES]
    batch = as_batch(dict(zip(names, values, strict=True)))
    if cls_id is not None:
        # Each [CLS] begins the next text of its row, [B, S].
        numbers = tf.cumsum(tf.cast(ids == cls_id, tf.int32), axis=1)
        inputs, _, _ = batch
        inputs[features.TEXT_NUMBERS.name] = tf.where(is_token, numbers, 0)
    return batch


def _parse(
    serialized: tf.Tensor, max_seq_length: int, sep_id: int | None
) -> Tensors:
    """Parse the features of records into a dict; token features are ragged."""
    parsed = parse_examples(serialized, features.FORMS["dynamic"], {})
    num_tokens = parsed[features.TOKEN_IDS.name].row_lengths()  # [B]
    boundary = parsed[features.SEGMENT_BOUNDARY.name][:, 0]  # [B]
    is_text = boundary == num_tokens
    # Only the first record of each file was checked before.
    for is_good, message in (
        (
            ~is_text | (sep_id is not None),
            "Single-text records require `sep_id`, the id of [SEP].",
        ),
        (
            (num_tokens >= 3) & (num_tokens <= max_seq_length),
            f"`{features.TOKEN_IDS.name}` must have 3 to {max_seq_length} "
            "values: pass the `max_seq_length` of the records.",
        ),
        (
            num_tokens == parsed[features.WORD_STARTS.name].row_lengths(),
            f"`{features.WORD_STARTS.name}` must have the length of "
            f"`{features.TOKEN_IDS.name}`.",
        ),
        (
            (boundary >= 3) & ((boundary <= num_tokens - 2) | is_text),
            f"`{features.SEGMENT_BOUNDARY.name}` must be inside the tokens.",
        ),
    ):
        tf.debugging.Assert(tf.reduce_all(is_good), [message])
    return parsed
