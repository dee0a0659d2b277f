"""Packing of token ids to dense model inputs, and offsets of the tokens.

Only dense ops (where, gather, comparisons) are used, because TFLite has no
kernels for ragged slicing and concatenation.
"""

import tensorflow as tf

from keras_bert import features
from keras_bert.template import FIRST
from keras_bert.template import SECOND


def pack(template, first, second, seq_length, id_of, truncation="head"):
    """Truncate texts, add special tokens and pad to the sequence length.

    Args:
        template: `Template`.
        first: RaggedTensor, int32 `(batch_size, (num_tokens))`.
        second: RaggedTensor, int32 `(batch_size, (num_tokens))`, the second
            texts, or None for single texts.
        seq_length: int, length of the result. Long pairs are truncated token
            by token, always the longer text.
        id_of: function from a special token to its id.
        truncation: str, a key of `TRUNCATIONS`.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors: `input_ids`,
        `input_mask` (1 at tokens) and, if the template has segments,
        `segment_ids`.
    """
    budget = seq_length - template.num_special(second is not None)
    texts = {FIRST: first} if second is None else {FIRST: first, SECOND: second}
    lengths = [tf.cast(t.row_lengths(), tf.int32) for t in texts.values()]
    if second is None:
        kept = [tf.minimum(lengths[0], budget)]
    else:
        kept = truncated_lengths(*lengths, budget)
    cut = TRUNCATIONS[truncation]
    texts = {
        name: (cut(tokens, number, budget), number)
        for (name, tokens), number in zip(texts.items(), kept, strict=True)
    }
    return _lay_out(template, texts, seq_length, id_of)


def _lay_out(template, texts, seq_length, id_of):
    layout = template.layout(is_pair=SECOND in texts)
    length = sum(x for _, x in texts.values()) + len(layout) - len(texts)
    length = length[:, tf.newaxis]  # [B, 1]
    position = tf.range(seq_length)[tf.newaxis]  # [1, S]
    if template.padding_side == "left":
        position -= seq_length - length
    mask = tf.logical_and(position >= 0, position < length)
    ids = tf.fill(tf.shape(mask), id_of(template.padding))
    segments = tf.fill(tf.shape(mask), template.padding_segment)
    end = length
    for word, segment in reversed(layout):
        if word in texts:
            start = end - texts[word][1][:, tf.newaxis]
            value = _take(texts[word][0], position - start)
        else:
            start, value = end - 1, id_of(word)
        here = tf.logical_and(position >= start, position < end)
        ids = tf.where(here, value, ids)
        if segment != template.padding_segment:
            segments = tf.where(here, segment, segments)
        end = start
    values = {
        features.INPUT_IDS.name: ids,
        features.INPUT_MASK.name: tf.cast(mask, tf.int32),
    }
    if template.segments:
        values[features.SEGMENT_IDS.name] = segments
    return values


def truncated_lengths(first, second, budget):
    """Return the lengths of pairs after truncation of the longer text.

    google-research/bert removes tokens one by one: the last token of the
    longer text, or of the second text if both are equally long. This function
    computes the same result in one step.

    Args:
        first: int32 `(batch_size,)`, lengths of the first texts.
        second: int32 `(batch_size,)`, lengths of the second texts.
        budget: int, maximum number of tokens of a pair.

    Returns:
        Two int32 `(batch_size,)` tensors.
    """
    kept_first = tf.minimum(
        first, tf.maximum(budget - second, (budget + 1) // 2)
    )
    return kept_first, tf.minimum(second, budget - kept_first)


def _take(ids, positions):
    """Gather ids at positions; positions out of range return any id."""
    ids = tf.pad(ids, [[0, 0], [0, 1]])  # The texts may be empty.
    positions = tf.clip_by_value(positions, 0, tf.shape(ids)[1] - 1)
    return tf.gather(ids, positions, batch_dims=1)


def _head(tokens, kept, width):
    return tokens.to_tensor(shape=[None, width])


def _tail(tokens, kept, width):
    return _from(tokens, tokens.row_lengths() - tf.cast(kept, tf.int64), width)


def _head_tail(tokens, kept, width):
    """Keep the first half, rounded up, and the last half of the budget."""
    half = (kept + 1) // 2
    is_head = tf.range(width)[tf.newaxis] < half[:, tf.newaxis]
    tail = _tail(tokens, kept, width)
    return tf.where(is_head, _head(tokens, kept, width), tail)


def _from(tokens, start, width):
    """Return `width` tokens from `start`, int32 `(batch_size, width)`."""
    places = (tokens.row_starts() + start)[:, tf.newaxis]
    places += tf.range(width, dtype=tf.int64)[tf.newaxis]
    values = tf.concat([tokens.flat_values, [0]], 0)  # Texts may be empty.
    last = tf.size(values, tf.int64) - 1
    return tf.gather(values, tf.minimum(places, last))


# Functions that move the tokens to keep to the front of each row.
TRUNCATIONS = {"head": _head, "tail": _tail, "head_tail": _head_tail}


STARTS, ENDS, TEXT_NUMBERS = "starts", "ends", "text_numbers"


def locate_pieces(preprocess, texts, pairs=None):
    """Pack texts or pairs to model inputs, with the offsets of the tokens.

    Args:
        preprocess: `Preprocessor`.
        texts: string tensor or list `(batch_size,)`.
        pairs: string tensor or list `(batch_size,)`, the second texts, or
            None.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors: the result of
        `preprocess`; `text_numbers`, 1 at tokens of the first text, 2 at
        tokens of the second text, 0 at special tokens and padding; `starts`
        and `ends`, byte offsets into the text, 0 at special tokens and
        padding.
    """
    columns = [texts] if pairs is None else [texts, pairs]
    found = [preprocess.tokenizer.tokenize_with_offsets(x) for x in columns]

    def packed_values(values):
        """Pack values of tokens in the same layout, with 0 elsewhere."""
        values = [tf.cast(x, tf.int32) for x in values]
        packed = pack(
            preprocess.template,
            *(values if len(values) == 2 else [*values, None]),
            preprocess.seq_length,
            lambda token: 0,
            preprocess.truncation,
        )
        return packed[features.INPUT_IDS.name]

    numbers = [
        tf.ones_like(ids) * number for number, (ids, *_) in enumerate(found, 1)
    ]
    return {
        **preprocess.pack(*(ids for ids, _, _ in found)),
        TEXT_NUMBERS: packed_values(numbers),
        STARTS: packed_values([starts for _, starts, _ in found]),
        ENDS: packed_values([ends for _, _, ends in found]),
    }
