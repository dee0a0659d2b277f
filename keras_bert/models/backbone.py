"""The layers of an encoder, and the models that are made of them."""

import inspect

import keras
from keras import ops

from keras_bert import checks
from keras_bert import features
from keras_bert.layers.positions import TextPositions

_MASK = features.INPUT_MASK.name
_NUMBERS = features.TEXT_NUMBERS.name
_STARTS = features.TEXT_STARTS.name


class Backbone:
    """Runs the layers of an encoder once; all its models share that graph.

    Args:
        embeddings: layer that makes the first states of the input tensors but
            for the mask and `text_numbers`, which it takes by name. One that
            looks at positions takes those of packed rows as `positions`.
        blocks: list of layers, called with states, mask and, where not all
            outputs are looked at, positions. One that stands there several
            times shares its weights.
        final_norm: layer that normalizes the last states, or None.
        pooler: layer from the first token's vector to that of the whole, or
            None.
        inputs: dict of int32 Keras tensors `(batch_size, seq_length)`; by
            default `input_ids`, `input_mask` and, if the embeddings take
            them, `segment_ids`. With `text_numbers`
            among them a row holds several texts, which do not see each other
            and whose positions begin anew.
        context: function from `inputs` to the `context` of blocks, a dict of
            fields of `AttentionContext`, or None.
        context_layers: list of the layers that `context` calls.
        mask_queries: `MaskQueries` of an enhanced mask decoder, or None.

    Attributes:
        below_blocks: list of the layers that all blocks depend on, the
            embeddings first.
        states: list of Keras tensors `(batch_size, seq_length,
            hidden_size)`, the embeddings first, then what each block makes
            of them.

    Example:

    >>> block = keras_bert.layers.TransformerEncoderBlock(8, 2, 32)
    >>> embeddings = keras_bert.layers.BertEmbeddings(30, 8, 16)
    >>> backbone = keras_bert.models.Backbone(embeddings, [block] * 3)
    >>> len(backbone.states), backbone.encoder("encoder").count_params()
    (4, 1272)
    """

    def __init__(
        self,
        embeddings,
        blocks,
        final_norm=None,
        pooler=None,
        inputs=None,
        context=None,
        context_layers=(),
        mask_queries=None,
    ):
        self.embeddings = embeddings
        self.below_blocks = [embeddings, *context_layers]
        self.blocks = list(blocks)
        self.final_norm = final_norm
        self.pooler = pooler
        self.mask_queries = mask_queries
        self._parameters = inspect.signature(embeddings.call).parameters
        self.inputs = inputs or self._default_inputs()
        for block in self.blocks:
            if self.is_packed and getattr(block, "sees_neighbours", False):
                raise ValueError(
                    "Rows must hold one text each: a convolution of neighbours "
                    f"sees the tokens of others. Received: {block.name}, and "
                    "rows of several texts."
                )
        self._make_context = context
        self._text_positions = TextPositions(name="text_positions")
        self._context = self._context_of(self.inputs)
        self.states = [embeddings(**self._embedded())]
        for block in self.blocks[:-1]:
            states = self._run(block, self.states[-1], self._context)
            self.states.append(states)
        self.states.append(self.last_states())

    def packed(self):
        """The same layers for rows that hold several texts.

        Returns:
            `Backbone` whose `inputs` have one more, `text_numbers`, int32
            `(batch_size, seq_length)`: 1 at the tokens of a row's first text,
            2 at those of the next one and so on, then 0 at padding.
        """
        inputs = {**self.inputs, **encoder_inputs((features.TEXT_NUMBERS,))}
        return self._with(self.embeddings, inputs)

    def above(self, embeddings):
        """Return a `Backbone` of the same layers above other embeddings.

        Args:
            embeddings: layer from the family's inputs to vectors.
        """
        return self._with(embeddings, self.inputs)

    def _with(self, embeddings, inputs):
        context = self._make_context, self.below_blocks[1:]
        pieces = self.blocks, self.final_norm, self.pooler, inputs
        return Backbone(embeddings, *pieces, *context, self.mask_queries)

    @property
    def is_packed(self):
        """Returns True where a row holds several texts."""
        return _NUMBERS in self.inputs

    def add_text_starts(self, inputs):
        """Adds to `inputs` of packed rows where the first tokens stand.

        Args:
            inputs: dict of Keras tensors, which gets `text_starts`, int32
                `(batch_size, num_texts)`.

        Returns:
            That tensor; of rows of one text instead int32 `(batch_size, 1)`,
            zeros.
        """
        if not self.is_packed:
            return ops.zeros_like(inputs[features.INPUT_IDS.name][:, :1])
        inputs |= encoder_inputs((features.TEXT_STARTS,))
        return inputs[_STARTS]

    def _context_of(self, inputs):
        make = self._make_context
        context = {} if make is None else dict(make(inputs))
        if self.is_packed:
            numbers = inputs[_NUMBERS]
            positions = self._text_positions(numbers)
            context |= {"text_numbers": numbers, "positions": positions}
        return context

    def _run(self, block, states, context, query_positions=None):
        named = {"context": context} if context else {}
        if query_positions is not None:
            named["query_positions"] = query_positions
        return block(states, self.inputs[_MASK], **named)

    def _default_inputs(self):
        has_segments = features.SEGMENT_IDS.name in self._parameters
        return encoder_inputs(features.ENCODER_INPUTS[: 2 + has_segments])

    def _embedded(self):
        """The arguments of `embeddings`."""
        hidden = _MASK, _NUMBERS
        embedded = {k: x for k, x in self.inputs.items() if k not in hidden}
        if self.is_packed and "positions" in self._parameters:
            embedded["positions"] = self._context["positions"]
        return embedded

    def last_states(self, positions=None):
        """Runs the last block, at some or all positions.

        Args:
            positions: int32 Keras tensor `(batch_size, num_positions)`, the
                only ones to compute; all by default.

        Returns:
            A Keras tensor `(batch_size, num_positions, hidden_size)`.
        """
        return self._last_states(positions, self._context)

    def masked_states(self, positions):
        """The states that a masked-LM head reads: the last ones, or decoded.

        An enhanced mask decoder runs the last block twice on the states before
        it: queries are made of these with their positions added, then of what
        the first run gives.

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
        for places in (None, positions):
            context = {**self._context, "query_inputs": queries}
            queries = self._last_states(places, context)
        return queries

    def _last_states(self, positions, context):
        before = self.states[len(self.blocks) - 1]
        states = self._run(self.blocks[-1], before, context, positions)
        return self.final_norm(states) if self.final_norm else states

    def encoder(self, name, pools=True):
        """The model that tasks are built on.

        Args:
            name: str, name of the model.
            pools: bool, whether to give `pooled_output` if there is a pooler.

        Returns:
            A functional `keras.Model` from `inputs` to a dict of
            `sequence_output`, float `(batch_size, seq_length, hidden_size)`,
            and, unless rows are packed, `pooled_output`, float `(batch_size,
            hidden_size)`.
        """
        outputs = {"sequence_output": self.states[-1]}
        if pools and self.pooler and not self.is_packed:
            outputs["pooled_output"] = self.pooler(self.states[-1][:, 0])
        return keras.Model(self.inputs, outputs, name=name)

    def states_model(self, num_states=None):
        """The model that gives the states after each layer.

        Args:
            num_states: int, how many of the last ones; by default all, the
                embeddings first.

        Returns:
            A functional `keras.Model` from `inputs` to a dict of float
            `(batch_size, seq_length, hidden_size)` by "0", "1" and so on.
        """
        states = self.states[-(num_states or 0) :]
        outputs = {str(number): state for number, state in enumerate(states)}
        return keras.Model(self.inputs, outputs)

    def attention_weights(self, inputs):
        """Return the attention weights of each block.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` arrays, by
                the names of `inputs`.

        Returns:
            A list with a float `(batch_size, num_heads, seq_length,
            seq_length)` tensor for each block, queries before keys.
        """
        states = self.states_model()(inputs)
        context = self._context_of(inputs)
        return [
            block.attention_weights(states[str(n)], inputs[_MASK], context)
            for n, block in enumerate(self.blocks)
        ]


def student_layer_indices(num_teacher, num_student, period=1):
    """Choose the layers of a teacher that its student begins with.

    They are spread evenly, the first and the last among them; of 12 layers a
    student of 6 keeps 0, 2, 4, 7, 9 and 11. Where layers of several kinds take
    turns, each is the nearest one below of its own kind.

    Args:
        num_teacher: int, the layers of the teacher.
        num_student: int, those of the student.
        period: int, the layers from one of a kind to the next.

    Returns:
        A list of int, rising, from 0.

    Raises:
        ValueError: `num_student` is below 1 or above `num_teacher`.

    References:
        [DistilBERT](https://arxiv.org/abs/1910.01108), section 3
    """
    checks.between(1, num_teacher, num_layers=num_student)
    gaps = max(num_student - 1, 1)
    even = [round(i * (num_teacher - 1) / gaps) for i in range(num_student)]
    return [place - (place - i) % period for i, place in enumerate(even)]


def encoder_inputs(encoder_features=features.ENCODER_INPUTS):
    """Makes the inputs of an encoder.

    Args:
        encoder_features: tuple of `Feature`.

    Returns:
        A dict of int32 Keras tensors `(batch_size, seq_length)` by name.
    """
    return {
        feature.name: keras.Input((None,), dtype="int32", name=feature.name)
        for feature in encoder_features
    }
