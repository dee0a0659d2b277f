"""Backbone with a content stream and a query stream, as in XLNet."""

from keras_bert import features
from keras_bert.layers.embeddings.two_stream_embeddings import PredictionRanks
from keras_bert.models.backbone import Backbone
from keras_bert.models.backbone import encoder_inputs
from keras_bert.typing import Tensor

_RANKS = features.PERMUTATION_RANKS.name


class TwoStreamBackbone(Backbone):
    """Backbone with a content stream and a query stream.

    The content stream encodes the tokens. The query stream starts from one
    learned vector and predicts tokens. Both attend to the content stream: a
    query attends to tokens with a lower rank, and a token also attends to
    tokens with its own rank. Tokens with rank 0 are visible to all.

    The ranks are the input `permutation_ranks`, if `permuted` added this input.
    Otherwise the predicted tokens have rank 1, so that no prediction depends on
    them, and the other tokens have rank 0.

    Args:
        embeddings, blocks and others: arguments of `Backbone`. `mask_queries`
            must be a `QueryStart` layer.

    References:
        [XLNet](https://arxiv.org/abs/1906.08237), section 2.3
    """

    def permuted(self) -> "TwoStreamBackbone":
        """Return a backbone with the additional input `permutation_ranks`.

        Returns:
            `TwoStreamBackbone` with the same layers. The input is int32
            `(batch_size, seq_length)`: the rank of each token in the prediction
            order, from 1, and 0 for tokens that are not predicted.
        """
        ranks = encoder_inputs((features.PERMUTATION_RANKS,))
        return self._with(self.embeddings, {**self.inputs, **ranks})

    def masked_states(self, positions: Tensor) -> Tensor:
        """Compute the query stream at the predicted positions.

        Args:
            positions: int32 Keras tensor `(batch_size, num_positions)`.

        Returns:
            A Keras tensor `(batch_size, num_positions, hidden_size)`.
        """
        ranks = self.inputs.get(_RANKS)
        if ranks is None:
            input_ids = self.inputs[features.INPUT_IDS.name]
            ranks = PredictionRanks(name="ranks")(positions, input_ids)
        states = self.states[0]
        queries = self.mask_queries(states)
        content = {**self._context, "ranks": ranks}
        *blocks, last = self.blocks
        for block in blocks:
            asking = {**content, "query_inputs": queries}
            queries = self._run(block, states, asking)
            states = self._run(block, states, content)
        asking = {**content, "query_inputs": queries}
        return self.final_norm(self._run(last, states, asking, positions))
