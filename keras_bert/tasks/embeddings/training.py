"""An embedder as `fine_tune` takes it."""

import dataclasses

import keras
from keras import ops

from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.embeddings.losses import CosineLoss
from keras_bert.tasks.embeddings.losses import RankingLoss


@dataclasses.dataclass(frozen=True)
class EmbedderTraining:
    """What is trained: the same weights over all texts of an example.

    Args:
        pretrained: `PretrainedModel` of the encoder.
        model: `keras.Model` from int32 `(batch_size, num_texts, seq_length)`
            tensors to `embedding`, `(batch_size, num_texts, dim)`.
        is_scored: bool, whether the examples are scored pairs.
        main_metric: str, which metric on the validation data tells the best
            epoch.
    """

    pretrained: PretrainedModel
    model: keras.Model
    is_scored: bool
    main_metric: str

    @classmethod
    def of(cls, pretrained, model, examples, validation_examples):
        """The training of a model of single texts.

        Args:
            pretrained: `PretrainedModel`.
            model: `keras.Model` as of `embedding_model`.
            examples: `EmbeddingExamples` to learn from.
            validation_examples: `EmbeddingExamples`, or None.
        """
        judged = validation_examples or examples
        return cls(
            pretrained,
            over_texts(model, examples.text_ids.shape[1]),
            is_scored=examples.scores is not None,
            main_metric=(
                "mean_reciprocal_rank" if judged.scores is None else "spearman"
            ),
        )

    def loss(self, label_smoothing):
        """The Keras loss of targets and embeddings."""
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` is for labels; embeddings have none. "
                f"Received: label_smoothing={label_smoothing}."
            )
        return CosineLoss() if self.is_scored else RankingLoss()


def over_texts(model, num_texts):
    """The same model for several texts of an example.

    Args:
        model: `keras.Model` as of `embedding_model`.
        num_texts: int.

    Returns:
        A functional `keras.Model` from int32 `(batch_size, num_texts,
        seq_length)` tensors to a dict of `embedding`, float32 `(batch_size,
        num_texts, dim)`; it shares the weights.
    """
    inputs = {
        name: keras.Input((num_texts, None), dtype="int32", name=name)
        for name in model.input
    }
    rows = {
        name: ops.concatenate([ids[:, n] for n in range(num_texts)], axis=0)
        for name, ids in inputs.items()
    }  # [T x B, S]
    vectors = model(rows)["embedding"]
    vectors = ops.reshape(vectors, (num_texts, -1, vectors.shape[-1]))
    return keras.Model(inputs, {"embedding": ops.swapaxes(vectors, 0, 1)})
