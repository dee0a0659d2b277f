"""Encoder and BiLSTM head models for feature-based tasks."""

import dataclasses
from typing import Annotated

import keras
from keras import ops

from keras_bert import checks
from keras_bert import features
from keras_bert.checks import Check
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.heads.lstm import LSTM
from keras_bert.layers.heads.scalar_mix import ScalarMix
from keras_bert.layers.heads.task_head import TaskHead
from keras_bert.messages import brief

CONCATENATE, WEIGHTED = "concatenate", "weighted"
COMBINATIONS = (CONCATENATE, WEIGHTED)

_NUM_LAYERS = 4
_DROPOUT = 0.5
STATES = "states"
# float16 has half the size of float32 and three decimal places near 1, while
# bfloat16 has only two.
STATES_DTYPE = "float16"
_MASK = features.INPUT_MASK.name
_NUM_LSTMS = 2
# Argument `go_backwards` of each LSTM.
_DIRECTIONS = {"forward": False, "backward": True}
_HEAD_DTYPE = "float32"


@dataclasses.dataclass(frozen=True)
class FeatureDesign(checks.Checked):
    """Settings for a feature-based head.

    Args:
        layers: tuple of int, indices of hidden states: 0 for the embeddings, 1
            for the first block and so on.
        combination: str, "concatenate" or "weighted".
        lstm_size: int, number of units per direction in each LSTM.
        dropout: float, dropout rate before each LSTM and after the last.
    """

    layers: tuple
    combination: Annotated[str, Check(checks.one_of, COMBINATIONS)] = (
        CONCATENATE
    )
    lstm_size: Annotated[int, Check(checks.at_least, 1)] = 1
    dropout: Annotated[float, Check(checks.share)] = _DROPOUT

    @classmethod
    def of(cls, pretrained, trained, **given):
        """Create the settings from arguments, a trained model or defaults.

        Args:
            pretrained: `PretrainedModel`.
            trained: dict of a trained model's settings, or an empty dict.
            **given: fields that override `trained` unless they are None.
                Negative layers count from the last.

        Raises:
            ValueError: a value is out of range.
        """
        num_states = len(pretrained.backbone.states)
        values = {
            "layers": range(max(1, num_states - _NUM_LAYERS), num_states),
            "lstm_size": pretrained.backbone.states[-1].shape[-1],
        }
        names = [field.name for field in dataclasses.fields(cls)]
        for source in (trained, given):
            known = {n: source.get(n) for n in names}
            values |= {n: x for n, x in known.items() if x is not None}
        values["layers"] = _layer_indices(values["layers"], num_states)
        return cls(**values)

    @property
    def settings(self):
        """Settings as a JSON-serializable dict."""
        return {**dataclasses.asdict(self), "layers": [*self.layers]}


def _layer_indices(layers, num_states):
    """Return non-negative layer indices, with 0 for the embeddings."""
    layers = [layers] if isinstance(layers, int) else [*layers]
    is_right = all(
        isinstance(layer, int) and -num_states <= layer < num_states
        for layer in layers
    )
    indices = tuple(layer % num_states for layer in layers) if is_right else ()
    if not indices or len({*indices}) != len(indices):
        raise ValueError(
            "`layers` must be distinct indices of layers, from "
            f"{-num_states} to {num_states - 1}: 0 for the embeddings, -1 for "
            f"the last block. Received: layers={brief(layers)}."
        )
    return indices


def states_of_layers(backbone, layers):
    """Create a model that computes the hidden states for a head.

    Blocks above the highest of these layers are not computed.

    Args:
        backbone: `Backbone`.
        layers: tuple of int, indices of `backbone.states`.

    Returns:
        A functional `keras.Model` that maps the backbone's inputs to a dict
        with `states`, float16
        `(batch_size, seq_length, num_layers, hidden_size)`.
    """
    chosen = ops.stack([backbone.states[index] for index in layers], axis=-2)
    states = ops.cast(chosen, STATES_DTYPE)
    return keras.Model(backbone.inputs, {STATES: states})


def lstm_head(design, hidden_size, num_outputs, is_per_token):
    """Create a head with two bidirectional LSTMs and a dense layer.

    Args:
        design: `FeatureDesign`.
        hidden_size: int, size of the hidden states.
        num_outputs: int.
        is_per_token: bool, whether to compute logits for each token. If False,
            each row has logits, computed from the last state of each
            direction.

    Returns:
        A functional `keras.Model` that maps `states` and `input_mask`, int32
        `(batch_size, seq_length)`, to a dict with `logits`, float32
        `(batch_size, seq_length, num_outputs)` or `(batch_size, num_outputs)`.
        Padding is masked.

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
        # ONNX cannot reshape empty batches.
        vectors = ops.concatenate(ops.unstack(states, num_layers, 2), -1)
        vectors = ops.cast(vectors, _HEAD_DTYPE)
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
    """Combine an encoder and a head into one model with shared weights.

    Args:
        states_model: as returned by `states_of_layers`.
        head: as returned by `lstm_head`.
        name: str, name of the model.

    Returns:
        A functional `keras.Model` that maps the encoder's inputs to `logits`.
    """
    inputs = states_model.input
    states = states_model.output[STATES]
    logits = head({STATES: states, _MASK: inputs[_MASK]})["logits"]
    return keras.Model(inputs, {"logits": logits}, name=name)
