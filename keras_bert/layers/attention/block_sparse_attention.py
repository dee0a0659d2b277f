"""Block-sparse self-attention of BigBird."""

import functools
import typing

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.block_sparse import attend_to_some_blocks
from keras_bert.layers.attention.block_sparse import block_counts
from keras_bert.layers.attention.random_blocks import draw_blocks
from keras_bert.layers.attention.random_blocks import draw_early_blocks
from keras_bert.layers.attention.random_blocks import uses_early_blocks
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors

RANDOM_BLOCKS = ("published", "transformers_eval")
_UNSEEN = -1e4


@keras.saving.register_keras_serializable("keras_bert")
class BlockSparseAttention(SelfAttention):
    """Self-attention to adjacent, global and random blocks of tokens.

    A sequence is split into blocks and padded to full blocks. Each block
    attends to itself, its two neighbours, the first block, the last block and
    some random blocks. The first and the last block attend to all tokens. Time
    and memory grow linearly with the length. Sequences of at most `(2 *
    num_random_blocks + 5) * block_size` tokens have full attention. As in the
    original implementation, `dropout` applies only to full attention.

    Args:
        hidden_size: size of the input and output vectors.
        num_heads: number of attention heads. Must divide `hidden_size`.
        block_size: number of tokens in a block.
        num_random_blocks: number of random blocks that each block attends to.
        random_blocks: "published" selects the same random blocks for each head
            as the original implementation. "transformers_eval" replaces each
            random block with the first block, as transformers does outside of
            training. The first block then counts several times in the softmax.
        seed: random seed for the random blocks. BigBird uses the index of the
            layer.
        max_positions: maximum sequence length.
        **kwargs: other arguments of `SelfAttention`, except `pattern`.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.
        context: dict of fields of `AttentionContext`, without `text_numbers`.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> attention = keras_bert.layers.BlockSparseAttention(8, 2, block_size=4)
    >>> attention(keras.ops.ones((1, 50, 8))).shape
    TensorShape([1, 50, 8])

    References:
        [Big Bird](https://arxiv.org/abs/2007.14062), section 2 and appendix D
    """

    sees_neighbours = True  # Packed sequences are not supported.

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        block_size: int = 64,
        num_random_blocks: int = 3,
        random_blocks: str = "published",
        seed: int = 0,
        max_positions: int = 4096,
        **kwargs: typing.Any,
    ):
        super().__init__(hidden_size, num_heads, **kwargs)
        sizes = {"block_size": block_size, "max_positions": max_positions}
        checks.at_least(1, num_random_blocks=num_random_blocks, **sizes)
        checks.at_least(0, seed=seed)
        checks.one_of(RANDOM_BLOCKS, random_blocks=random_blocks)
        self.block_size = block_size
        self.num_random_blocks = num_random_blocks
        self.random_blocks = random_blocks
        self.seed = seed
        self.max_positions = max_positions

    @property
    def max_full_length(self) -> int:
        """Length of the longest sequence with full attention."""
        return (2 * self.num_random_blocks + 5) * self.block_size

    @functools.cached_property
    def _tables(self):
        """Random blocks for most lengths, and for multiples of 1,024 tokens."""
        num_blocks = self._num_blocks(self.max_positions)
        number = self.num_random_blocks
        if self.random_blocks == "transformers_eval":
            shape = self.num_heads, num_blocks - 2, number
            # Block 0 for each random block.
            return (np.zeros(shape, "int32"),) * 2
        usual = draw_blocks(self.seed, self.num_heads, num_blocks, number)
        if not uses_early_blocks(1024, self.block_size, number):
            return usual, usual
        early = draw_early_blocks(
            self.seed, self.num_heads, num_blocks, number, self.block_size
        )
        return usual, early

    def _num_blocks(self, length):
        return (length + self.block_size - 1) // self.block_size

    def _drawn_blocks(self, num_blocks):
        length = num_blocks * self.block_size
        is_early = uses_early_blocks(
            length, self.block_size, self.num_random_blocks
        )
        usual, early = self._tables  # [N, M - 2, r]
        if isinstance(is_early, bool):
            table = ops.convert_to_tensor(early if is_early else usual)
        else:
            table = ops.where(is_early, early, usual)
        # The first and the last block attend to all tokens.
        return table[:, : num_blocks - 2]

    def attend(
        self,
        heads: list[Tensor],
        context: AttentionContext,
        training: bool | None = None,
    ) -> Tensor:
        if context.text_numbers is not None:
            raise ValueError(
                "Packed sequences are not supported by block-sparse "
                "attention, because its global blocks would mix the texts. "
                "Use one text per sequence. Received: text_numbers in layer "
                f"{self.name}."
            )
        is_long = self._is_long(ops.shape(heads[1])[2])  # Length of the keys.
        to_blocks = functools.partial(self._attend_to_blocks, heads, context)
        to_all = functools.partial(super().attend, heads, context, training)
        if isinstance(is_long, bool):
            return to_blocks() if is_long else to_all()
        return ops.cond(is_long, to_blocks, to_all)

    def _is_long(self, length):
        if isinstance(length, int) and length > self.max_full_length:
            checks.between(1, self.max_positions, seq_length=length)
        # A model for short sequences must not build both branches.
        has_blocks = self.max_positions > self.max_full_length
        return has_blocks and length > self.max_full_length

    def _attend_to_blocks(self, heads, context):
        query, key, value = heads
        drawn = self._drawn_blocks(self._num_blocks(ops.shape(key)[2]))
        attended = attend_to_some_blocks(
            query * self.scale, key, value, context, drawn, self.block_size
        )
        # Blocks compute all positions, [B, N, S, D]; keep the query positions.
        return context.at_queries(attended)

    def attention_weights(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        context: Tensors | None = None,
    ) -> Tensor:
        length = ops.shape(inputs)[1]
        if self._is_long(length):
            num_blocks = self._num_blocks(length)
            counts = block_counts(self._drawn_blocks(num_blocks), num_blocks)
            # [N, M, M] to [1, N, S, S]; M blocks, r random blocks.
            for axis in (1, 2):
                counts = ops.repeat(counts, self.block_size, axis=axis)
            counts = counts[None, :, :length, :length]
            # A key that counts n times has n times the weight.
            seen = ops.log(ops.maximum(counts, 1.0))
            bias = ops.where(counts > 0, seen, _UNSEEN)
            context = {**(context or {}), "score_bias": bias}
        return super().attention_weights(inputs, attention_mask, context)

    def flops(self, seq_length: int, num_queries: int) -> int:
        if seq_length <= self.max_full_length:
            return super().flops(seq_length, num_queries)
        num_blocks, size = self._num_blocks(seq_length), self.block_size
        num_keys = (5 + self.num_random_blocks) * size
        # Two blocks attend to all tokens, the others to `num_keys` keys.
        pairs = size * (2 * seq_length + (num_blocks - 2) * num_keys)
        matrices = 3 * seq_length + num_queries
        square = 2 * self.hidden_size**2
        return matrices * square + 2 * 2 * pairs * self.hidden_size
