"""A frozen encoder and a head of LSTMs, as models that fit each other."""

import keras
from keras import ops

from keras_bert import features
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.lstm import LSTM
from keras_bert.layers.scalar_mix import ScalarMix
from keras_bert.layers.task_head import TaskHead
from keras_bert.tasks.features.design import WEIGHTED

STATES = "states"
# Half the disk of float32. A state of about 1 keeps three decimals, more than
# it has where it was computed in bfloat16.
STATES_DTYPE = "float16"

_MASK = features.INPUT_MASK.name
_NUM_LSTMS = 2
# Whether an LSTM reads from the last token.
_DIRECTIONS = {"forward": False, "backward": True}
_HEAD_DTYPE = "float32"


def states_of_layers(backbone, layers):
    """Makes the model of the states that a head reads.

    Blocks above the highest of the layers are not computed.

    Args:
        backbone: `Backbone`.
        layers: tuple of int, places in `backbone.states`.

    Returns:
        A functional `keras.Model` from the backbone's inputs to a dict of
        `states`, float16 `(batch_size, seq_length, num_layers, hidden_size)`.
    """
    chosen = ops.stack([backbone.states[place] for place in layers], axis=-2)
    states = ops.cast(chosen, STATES_DTYPE)
    return keras.Model(backbone.inputs, {STATES: states})


def lstm_head(design, hidden_size, num_outputs, is_per_token):
    """Puts two LSTMs in both directions on the states, then logits.

    Args:
        design: `FeatureDesign`.
        hidden_size: int, of the states.
        num_outputs: int.
        is_per_token: bool, whether there are logits for each token, or for
            the whole, of the last state of each direction.

    Returns:
        A functional `keras.Model` from `states` and `input_mask`, int32
        `(batch_size, seq_length)`, to a dict of `logits`, float32
        `(batch_size, seq_length, num_outputs)` or `(batch_size,
        num_outputs)`. It does not see padding.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """
    num_layers = len(design.layers)
    states = keras.Input(
        (None, num_layers, hidden_size), dtype=STATES_DTYPE, name=STATES
    )
    mask = keras.Input((None,), dtype="int32", name=_MASK)
    if design.combination == WEIGHTED:
        vectors = ScalarMix(num_layers, dtype=_HEAD_DTYPE, name="scalar_mix")(
            states
        )
    else:
        width = num_layers * hidden_size
        vectors = keras.layers.Reshape(
            (-1, width), dtype=_HEAD_DTYPE, name="concatenate"
        )(states)
    is_token = ops.cast(mask, "bool")
    for number in range(_NUM_LSTMS):
        vectors = Dropout(design.dropout, dtype=_HEAD_DTYPE)(vectors)
        is_last = number == _NUM_LSTMS - 1
        both = [
            LSTM(
                design.lstm_size,
                return_sequences=is_per_token or not is_last,
                go_backwards=go_backwards,
                name=f"{direction}_lstm_{number}",
            )(vectors, mask=is_token)
            for direction, go_backwards in _DIRECTIONS.items()
        ]
        vectors = keras.layers.Concatenate(name=f"lstms_{number}")(both)
    head = TaskHead(
        num_outputs, dropout=design.dropout, dtype=_HEAD_DTYPE, name="head"
    )
    return keras.Model({STATES: states, _MASK: mask}, {"logits": head(vectors)})


def head_on_states(states_model, head, name):
    """Joins encoder and head to one model, which shares their weights.

    Args:
        states_model: as made by `states_of_layers`.
        head: as made by `lstm_head`.
        name: str, name of the model.

    Returns:
        A functional `keras.Model` from the encoder's inputs to `logits`.
    """
    inputs = states_model.input
    states = states_model.output[STATES]
    logits = head({STATES: states, _MASK: inputs[_MASK]})["logits"]
    return keras.Model(inputs, {"logits": logits}, name=name)
