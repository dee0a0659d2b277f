"""Embeddings of ERNIE: BERT embeddings and task-type embeddings."""

import typing

import keras

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.embeddings.bert_embeddings import BertEmbeddings


@keras.saving.register_keras_serializable("keras_bert")
class ErnieEmbeddings(BertEmbeddings):
    """Normalized sum of BERT embeddings and task-type embeddings, as in ERNIE.

    All tokens have task type 0, the first task-type embedding.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the embedding vectors.
        task_type_vocab_size: number of task types; 0 for no task types.
        **kwargs: other arguments of `BertEmbeddings`.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        segment_ids: int32 `(batch_size, seq_length)`, below `type_vocab_size`.
            Defaults to zeros.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Defaults to the positions in the
            sequence.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.ErnieEmbeddings(30, 8)
    >>> embeddings(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([1, 4, 8])

    References:
        [ERNIE 2.0](https://arxiv.org/abs/1907.12412), section 3.3
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        task_type_vocab_size: int = 3,
        **kwargs: typing.Any,
    ):
        checks.at_least(0, task_type_vocab_size=task_type_vocab_size)
        super().__init__(vocab_size, hidden_size, **kwargs)
        self.task_type_vocab_size = task_type_vocab_size

    def build(self, input_ids_shape: Shape) -> None:
        super().build(input_ids_shape)
        if self.task_type_vocab_size:
            self.task_embeddings = self.add_table(
                "task_embeddings", self.task_type_vocab_size
            )

    def _positions(self, input_ids, positions=None):
        vectors = super()._positions(input_ids, positions)
        if not self.task_type_vocab_size:
            return vectors
        return vectors + self.task_embeddings[0]
