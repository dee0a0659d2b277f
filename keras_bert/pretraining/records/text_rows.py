"""Packing of short texts into rows of a fixed length."""

import numpy as np

from keras_bert import features


def best_fit(lengths, size):
    """Assign each text to the fullest row that has room for it.

    Args:
        lengths: int array `(num_texts,)`, each at most `size`.
        size: int, the length of a row.

    Returns:
        int64 `(num_texts,)`, the row index of each text.

    References:
        [ModernBERT](https://arxiv.org/abs/2412.13663), section 2.2.1;
        [Efficient Sequence Packing](https://arxiv.org/abs/2107.02027)
    """
    open_rows = [[] for _ in range(size + 1)]
    rooms = 0  # Bit n is 1 if a row has room for exactly n tokens.
    rows = np.empty(len(lengths), np.int64)
    num_rows = 0
    for text, length in enumerate(lengths.tolist()):
        fitting = rooms >> length
        if fitting:
            room = length + (fitting & -fitting).bit_length() - 1
            row = open_rows[room].pop()
            if not open_rows[room]:
                rooms -= 1 << room
        else:
            room, row = size, num_rows
            num_rows += 1
        rows[text] = row
        open_rows[room - length].append(row)
        rooms |= 1 << (room - length)
    return rows


def join_texts(examples, num_tokens, num_texts):
    """Join consecutive dynamic examples into rows.

    Args:
        examples: dict of arrays `(num_examples, ...)`, as returned by
            `dynamic_examples`.
        num_tokens: int64 `(num_examples,)`, number of tokens per example.
        num_texts: int64 `(num_rows,)`, number of examples per row.

    Returns:
        A dict like `examples` of arrays `(num_rows, ...)`, and the number of
        tokens per row, int64 `(num_rows,)`.
    """
    firsts = np.cumsum(num_texts) - num_texts
    row_tokens = np.add.reduceat(num_tokens, firsts)
    position = np.arange(examples[features.TOKEN_IDS.name].shape[1])
    joined = {name: values[firsts] for name, values in examples.items()}
    for feature in (features.TOKEN_IDS, features.WORD_STARTS):
        values = examples[feature.name][position < num_tokens[:, None]]
        joined[feature.name][position < row_tokens[:, None]] = values
    joined[features.SEGMENT_BOUNDARY.name] = row_tokens[:, None]
    return joined, row_tokens
