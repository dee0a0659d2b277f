"""Cross entropies of labels that are numbers, and of answer spans."""

import keras
from keras import ops

# No minus infinity: it would make the gradient of a mean not a number.
_PADDING_LOGIT = -1e9


def sparse_cross_entropy(labels, logits):
    """Negative log-likelihoods of labels.

    The softmax serves the loss and its gradient, which takes a third of the
    time of TensorFlow's operation for it on a CPU.

    Args:
        labels: int `(...)`, from 0.
        logits: float `(..., num_classes)`.

    Returns:
        float32 `(...)`; not a number where a label is none of the classes.
    """
    logits = ops.cast(logits, "float32")
    labels = ops.cast(labels, "int32")
    num_classes = ops.shape(logits)[-1]
    is_class = ops.logical_and(labels >= 0, labels < num_classes)
    valid = ops.where(is_class, 1.0, float("nan"))
    indices = ops.expand_dims(ops.where(is_class, labels, 0), -1)

    @ops.custom_gradient
    def losses_of(logits):
        probabilities = ops.softmax(logits)
        # No label's probability, which may be 0; the largest never is.
        largest = ops.log(ops.max(probabilities, axis=-1))
        chosen = ops.squeeze(ops.take_along_axis(logits, indices, -1), -1)
        losses = (ops.max(logits, axis=-1) - chosen) - largest

        def gradient(*args, upstream=None):
            # PyTorch passes its inputs as well, and this by name.
            upstream = args[0] if upstream is None else upstream
            scale = ops.expand_dims(upstream * valid, -1)
            return (probabilities - ops.one_hot(labels, num_classes)) * scale

        return losses * valid, gradient

    return losses_of(logits)


@keras.saving.register_keras_serializable("keras_bert")
class SparseCrossEntropy(keras.losses.Loss):
    """`sparse_cross_entropy` as a loss for `compile`.

    Args:
        factor: float, of this loss in the sum of several.
        **kwargs: of `keras.losses.Loss`.
    """

    def __init__(self, factor=1.0, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, y_true, y_pred):
        return self.factor * sparse_cross_entropy(y_true, y_pred)

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


@keras.saving.register_keras_serializable("keras_bert")
class SpanCrossEntropy(keras.losses.Loss):
    """The mean of two cross entropies, of the first and of the last token.

    Each is over the tokens of the sequence. Padding takes no part, so the
    loss of an example is the same however wide its batch is.

    Args:
        label_smoothing: float, share of the target that is spread evenly
            over the tokens of the sequence.
        **kwargs: of `keras.losses.Loss`.

    Call arguments:
        y_true: int `(batch_size, 3)`: the positions of the first and of the
            last token, and how many tokens the sequence has.
        y_pred: float `(batch_size, seq_length, 2)`, the logits of the first
            and of the last token.

    Returns:
        float32, the mean over the batch.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.2
    """

    def __init__(self, label_smoothing=0.0, **kwargs):
        super().__init__(**kwargs)
        self.label_smoothing = label_smoothing

    def call(self, y_true, y_pred):
        targets = ops.cast(y_true, "int32")  # [B, 3]
        positions = ops.arange(ops.shape(y_pred)[1])
        is_token = (positions[None] < targets[:, 2:])[..., None]  # [B, S, 1]
        logits = ops.cast(y_pred, "float32")
        logits = ops.where(is_token, logits, _PADDING_LOGIT)
        likelihoods = ops.log_softmax(logits, axis=1)  # [B, S, 2]
        spans = targets[:, None, :2]
        chosen = ops.take_along_axis(likelihoods, spans, axis=1)[:, 0]
        sums = ops.sum(ops.where(is_token, likelihoods, 0.0), axis=1)
        means = sums / ops.cast(targets[:, 2:], "float32")  # [B, 2]
        smoothing = self.label_smoothing
        losses = (1.0 - smoothing) * chosen + smoothing * means
        return -ops.mean(losses, axis=-1)

    def get_config(self):
        return {
            **super().get_config(),
            "label_smoothing": self.label_smoothing,
        }
