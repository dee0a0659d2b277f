"""A classifier that a left-to-right model can be compared by."""

import keras
from keras import ops

import keras_bert
from keras_bert import features
from keras_bert.layers.positions import gather_positions
from keras_bert.tasks.fine_tuning.forward import Forward


class EndsClassifier(keras_bert.TextClassifier):
    """As `TextClassifier`, but it reads the first and the last token.

    The first token of a left-to-right model has seen no other, the last one
    the whole text.

    Args:
        pretrained: `PretrainedModel`.
        labels: list of str.
        has_lstm: bool, whether a BiLSTM reads the text first, as in the paper.
        **kwargs: other arguments of `TextClassifier`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.1
    """

    def __init__(self, pretrained, labels, has_lstm=False, **kwargs):
        super().__init__(pretrained, labels=labels, **kwargs)
        backbone = self.pretrained.backbone
        hidden = backbone.states[-1]
        mask = backbone.inputs[features.INPUT_MASK.name]
        if has_lstm:
            lstm = keras.layers.LSTM(hidden.shape[-1], return_sequences=True)
            hidden = keras.layers.Bidirectional(lstm)(hidden, mask=mask > 0)
        last = ops.sum(mask, axis=1, keepdims=True) - 1
        ends = ops.concatenate([ops.zeros_like(last), last], axis=1)
        ends = gather_positions(hidden, ends)  # [B, 2, H]
        ends = ops.reshape(ends, (-1, 2 * hidden.shape[-1]))
        head = keras_bert.layers.TaskHead(len(self.labels), name="ends")
        self.model = keras.Model(backbone.inputs, {"logits": head(ends)})
        self._forward = Forward(self.model)
