"""A classifier that a left-to-right model can be compared by."""

import keras
from keras import ops

import keras_bert
from keras_bert import features
from keras_bert.tasks.fine_tuning.forward import Forward


class EndsClassifier(keras_bert.TextClassifier):
    """As `TextClassifier`, but it reads the first and the last token.

    The first token of a left-to-right model has seen no other, the last one
    the whole text.

    Args:
        pretrained: `PretrainedModel`.
        labels: list of str.
        has_lstm: bool, whether a BiLSTM reads all tokens first, as in the
            paper; of it the last state of each direction counts.
        **kwargs: other arguments of `TextClassifier`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.1
    """

    def __init__(self, pretrained, labels, has_lstm=False, **kwargs):
        super().__init__(pretrained, labels=labels, **kwargs)
        backbone = self.pretrained.backbone
        mask = backbone.inputs[features.INPUT_MASK.name]
        if has_lstm:
            lstm = keras.layers.LSTM(self.pretrained.config.hidden_size)
            both = keras.layers.Bidirectional(lstm)
            ends = both(backbone.states[-1], mask=mask > 0)
        else:
            last = ops.sum(mask, axis=1, keepdims=True) - 1
            places = ops.concatenate([ops.zeros_like(last), last], axis=1)
            states = backbone.last_states(places)  # [B, 2, H]
            ends = keras.layers.Flatten()(states)
        head = keras_bert.layers.TaskHead(len(self.labels), name="ends")
        self.model = keras.Model(backbone.inputs, {"logits": head(ends)})
        self._forward = Forward(self.model)
