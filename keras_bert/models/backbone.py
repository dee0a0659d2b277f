"""Encoder layers and the Keras models built from them."""

import inspect
import typing
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence

import keras
from keras import ops

from keras_bert import checks
from keras_bert import features
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.positions import TextPositions
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors

_MASK = features.INPUT_MASK.name
_NUMBERS = features.TEXT_NUMBERS.name
_STARTS = features.TEXT_STARTS.name


class Backbone:
    """Encoder layers (embeddings and blocks) shared by several models.

    Args:
        embeddings: layer that computes the first hidden states. It is called
            with the input tensors that its `call` method accepts, and with
            `positions` if sequences are packed.
        blocks: layers that take hidden states, a mask and, if only some
            outputs are needed, query positions. A layer that occurs several
            times shares its weights. If it is empty, the embeddings are the
            last hidden states.
        final_norm: layer that normalizes the last hidden states, or None.
        pooler: layer that maps the first token's vector to the pooled output,
            or None.
        inputs: int32 Keras tensors `(batch_size, seq_length)` by name. Defaults
            to `input_ids`, `input_mask` and, if the embeddings take them,
            `segment_ids`. If `text_numbers` is included, sequences are packed:
            a sequence contains several texts that do not attend to each other,
            and positions start at 0 in each text.
        context: callable that maps `inputs` to the `context` argument of the
            blocks (a dict of `AttentionContext` fields), or None.
        context_layers: layers that `context` calls.
        mask_queries: `MaskQueries` of an enhanced mask decoder, or None.

    Attributes:
        below_blocks: list of the layers that all blocks depend on, starting
            with the embeddings.
        states: list of Keras tensors `(batch_size, seq_length,
            hidden_size)`: the embeddings, then the output of each block.
        base_checksums: dict mapping weight paths to checksums before adapters
            were added.
        merged_adapters: set of the digests of the adapter files that are merged
            into the weights.

    Example:

    >>> block = keras_bert.layers.TransformerEncoderBlock(8, 2, 32)
    >>> embeddings = keras_bert.layers.BertEmbeddings(30, 8, 16)
    >>> backbone = keras_bert.models.Backbone(embeddings, [block] * 3)
    >>> len(backbone.states), backbone.encoder("encoder").count_params()
    (4, 1272)
    """

    def __init__(
        self,
        embeddings: keras.layers.Layer,
        blocks: Iterable[keras.layers.Layer],
        final_norm: keras.layers.Layer | None = None,
        pooler: keras.layers.Layer | None = None,
        inputs: Tensors | None = None,
        context: Callable[[Tensors], Tensors] | None = None,
        context_layers: Sequence[keras.layers.Layer] = (),
        mask_queries: keras.layers.Layer | None = None,
    ):
        self.embeddings = embeddings
        self.below_blocks = [embeddings, *context_layers]
        self.blocks = list(blocks)
        self.final_norm = final_norm
        self.pooler = pooler
        self.mask_queries = mask_queries
        self.base_checksums: dict[str, int] = {}
        self.merged_adapters: set[bytes] = set()
        self._parameters = inspect.signature(embeddings.call).parameters
        self.inputs = inputs or self._default_inputs()
        for block in self.blocks:
            if self.is_packed and getattr(block, "sees_neighbours", False):
                raise ValueError(
                    "Packed sequences are not supported by blocks with a "
                    "convolution or block-sparse attention, which would mix "
                    "the texts. Use one text per sequence. Received: block "
                    f"{block.name}."
                )
        self._make_context = context
        self._text_positions = TextPositions(name="text_positions")
        self._context = self._context_of(self.inputs)
        self.states = [embeddings(**self._embedded())]
        for block in self.blocks[:-1]:
            states = self._run(block, self.states[-1], self._context)
            self.states.append(states)
        if self.blocks:
            self.states.append(self.last_states())

    def packed(self) -> "Backbone":
        """Return a `Backbone` with the same layers for packed sequences.

        Returns:
            `Backbone` with the additional input `text_numbers`, int32
            `(batch_size, seq_length)`: 1 at the tokens of the first text in a
            sequence, 2 at the second text and so on, 0 at padding.
        """
        inputs = {**self.inputs, **encoder_inputs((features.TEXT_NUMBERS,))}
        return self._with(self.embeddings, inputs)

    def above(self, embeddings: keras.layers.Layer) -> "Backbone":
        """Return a `Backbone` with the same blocks and different embeddings.

        Args:
            embeddings: layer that maps the model inputs to vectors.
        """
        return self._with(embeddings, self.inputs)

    def with_context(self, context: Callable[[Tensors], Tensors]) -> "Backbone":
        """Return a `Backbone` with the same layers and a different context.

        Args:
            context: callable that maps `inputs` to the `context` argument of
                the blocks.
        """
        return self._with(self.embeddings, self.inputs, context)

    def _with(
        self,
        embeddings: keras.layers.Layer,
        inputs: Tensors,
        make_context: Callable[[Tensors], Tensors] | None = None,
    ) -> typing.Self:
        return type(self)(
            embeddings,
            self.blocks,
            final_norm=self.final_norm,
            pooler=self.pooler,
            inputs=inputs,
            context=make_context or self._make_context,
            context_layers=self.below_blocks[1:],
            mask_queries=self.mask_queries,
        )

    @property
    def is_packed(self) -> bool:
        """Whether sequences are packed, with several texts in each."""
        return _NUMBERS in self.inputs

    def add_text_starts(self, inputs: Tensors) -> Tensor:
        """Add the input `text_starts` if sequences are packed.

        Args:
            inputs: Keras tensors by name. For packed sequences, `text_starts`,
                int32 `(batch_size, num_texts)`, is added.

        Returns:
            Positions of the first tokens: `text_starts`, or int32 zeros
            `(batch_size, 1)` if a sequence contains one text.
        """
        if not self.is_packed:
            return ops.zeros_like(inputs[features.INPUT_IDS.name][:, :1])
        inputs |= encoder_inputs((features.TEXT_STARTS,))
        return inputs[_STARTS]

    def _context_of(self, inputs: Tensors) -> Tensors:
        make = self._make_context
        context = {} if make is None else dict(make(inputs))
        if self.is_packed:
            numbers = inputs[_NUMBERS]
            positions = self._text_positions(numbers)
            context |= {"text_numbers": numbers, "positions": positions}
        AttentionContext(**context)  # Check the context.
        return context

    def _run(
        self,
        block: keras.layers.Layer,
        states: Tensor,
        context: Tensors,
        query_positions: Tensor | None = None,
    ) -> Tensor:
        named = {"context": context} if context else {}
        if query_positions is not None:
            named["query_positions"] = query_positions
        return block(states, self.inputs[_MASK], **named)

    def _default_inputs(self) -> Tensors:
        has_segments = features.SEGMENT_IDS.name in self._parameters
        return encoder_inputs(features.ENCODER_INPUTS[: 2 + has_segments])

    def _embedded(self) -> Tensors:
        """Return the call arguments of `embeddings`."""
        known = self._parameters
        embedded = {k: x for k, x in self.inputs.items() if k in known}
        if self.is_packed and "positions" in self._parameters:
            embedded["positions"] = self._context["positions"]
        return embedded

    def last_states(self, positions: Tensor | None = None) -> Tensor:
        """Compute the last hidden states at some or all positions.

        Args:
            positions: int32 Keras tensor `(batch_size, num_positions)`.
                Defaults to all positions.

        Returns:
            A Keras tensor `(batch_size, num_positions, hidden_size)`.
        """
        return self._last_states(positions, self._context)

    def masked_states(self, positions: Tensor) -> Tensor:
        """Compute the input of the masked-LM head.

        Without an enhanced mask decoder, this input is the last hidden states.
        The decoder runs the last block twice on the same hidden states. The
        queries of the first run are the sum of these hidden states and position
        embeddings. The queries of the second run are the output of the first.

        Args:
            positions: int32 Keras tensor `(batch_size, num_positions)`.

        Returns:
            A Keras tensor `(batch_size, num_positions, hidden_size)`.

        References:
            [DeBERTa](https://arxiv.org/abs/2006.03654), section 3.2
        """
        if self.mask_queries is None:
            return self.last_states(positions)
        before = self.states[len(self.blocks) - 1]
        queries = self.mask_queries(before, self._context.get("positions"))
        for query_positions in (None, positions):
            context = {**self._context, "query_inputs": queries}
            queries = self._last_states(query_positions, context)
        return queries

    def _last_states(
        self, positions: Tensor | None, context: Tensors
    ) -> Tensor:
        before = self.states[len(self.blocks) - 1]
        states = self._run(self.blocks[-1], before, context, positions)
        return self.final_norm(states) if self.final_norm else states

    def encoder(self, name: str, pools: bool = True) -> keras.Model:
        """Build the encoder as a Keras model.

        Args:
            name: name of the model.
            pools: whether to return `pooled_output` if the encoder has a
                pooler.

        Returns:
            A functional `keras.Model` that maps `inputs` to a dict with
            `sequence_output`, float `(batch_size, seq_length, hidden_size)`,
            and, unless sequences are packed, `pooled_output`, float
            `(batch_size, hidden_size)`.
        """
        outputs = {"sequence_output": self.states[-1]}
        if pools and self.pooler and not self.is_packed:
            outputs["pooled_output"] = self.pooler(self.states[-1][:, 0])
        return keras.Model(self.inputs, outputs, name=name)

    def states_model(self, num_states: int | None = None) -> keras.Model:
        """Build the model that returns the hidden states of each layer.

        Args:
            num_states: number of hidden states to return, counted from the
                last. Defaults to all hidden states, including the embeddings.

        Returns:
            A functional `keras.Model` that maps `inputs` to a dict.
            The dict maps "0", "1" and so on to float tensors
            `(batch_size, seq_length, hidden_size)`.
        """
        states = self.states[-(num_states or 0) :]
        outputs = {str(number): state for number, state in enumerate(states)}
        return keras.Model(self.inputs, outputs)

    def attention_weights(self, inputs: Tensors) -> list[Tensor]:
        """Return the attention weights of each block.

        Args:
            inputs: dict mapping input names to int32 `(batch_size, seq_length)`
                arrays.

        Returns:
            A list with a float tensor `(batch_size, num_heads, seq_length,
            seq_length)` for each block, with the query axis before the key
            axis.
        """
        states = self.states_model()(inputs)
        context = self._context_of(inputs)
        return [
            block.attention_weights(states[str(n)], inputs[_MASK], context)
            for n, block in enumerate(self.blocks)
        ]


def student_layer_indices(
    num_teacher: int, num_student: int, period: int = 1
) -> list[int]:
    """Select the teacher layers that initialize a student.

    The layers are evenly spaced from the first to the last. From 12 layers, a
    student of 6 layers takes 0, 2, 4, 7, 9 and 11. If layers of several types
    alternate, each student layer takes the nearest lower layer of its type.

    Args:
        num_teacher: number of layers of the teacher.
        num_student: number of layers of the student.
        period: distance between two layers of the same type.

    Returns:
        A list of int, ascending layer indices from 0.

    Raises:
        ValueError: `num_student` is below 1 or above `num_teacher`.

    References:
        [DistilBERT](https://arxiv.org/abs/1910.01108), section 3
    """
    checks.between(1, num_teacher, num_layers=num_student)
    gaps = max(num_student - 1, 1)
    even = [round(i * (num_teacher - 1) / gaps) for i in range(num_student)]
    return [index - (index - i) % period for i, index in enumerate(even)]


def encoder_inputs(
    encoder_features: Iterable[features.Feature] = features.ENCODER_INPUTS,
) -> Tensors:
    """Create the input tensors of an encoder.

    Args:
        encoder_features: the inputs to create.

    Returns:
        int32 Keras tensors `(batch_size, seq_length)` by name.
    """
    return {
        feature.name: keras.Input((None,), dtype="int32", name=feature.name)
        for feature in encoder_features
    }
