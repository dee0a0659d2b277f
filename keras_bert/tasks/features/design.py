"""The layers that a task takes from a frozen encoder, and its head's sizes."""

import dataclasses

CONCATENATE, WEIGHTED = "concatenate", "weighted"
COMBINATIONS = (CONCATENATE, WEIGHTED)

_NUM_LAYERS = 4
_DROPOUT = 0.5


@dataclasses.dataclass(frozen=True)
class FeatureDesign:
    """The layers that a head reads, and the sizes of the head.

    Args:
        layers: tuple of int, which states of the encoder, 0 for the
            embeddings, then 1 for the first block and so on.
        combination: str, "concatenate" or "weighted": what is made of them.
        lstm_size: int, of each direction of the two LSTMs.
        dropout: float, of what goes into each LSTM and comes out of the last.
    """

    layers: tuple
    combination: str
    lstm_size: int
    dropout: float

    @classmethod
    def of(cls, pretrained, trained, **given):
        """Takes what the user gives, or a model was trained with, or defaults.

        Args:
            pretrained: `PretrainedModel`.
            trained: dict, the settings of a model that was trained for the
                task; empty of others.
            **given: fields; None for what is not said. Layers may be counted
                from the last, -1.

        Raises:
            ValueError: a value is out of range, or the encoder has no such
                layer.
        """
        num_states = len(pretrained.backbone.states)
        values = {
            "layers": range(max(1, num_states - _NUM_LAYERS), num_states),
            "combination": CONCATENATE,
            "lstm_size": pretrained.config.sizes["H"],
            "dropout": _DROPOUT,
        }
        for told in (trained, given):
            known = {n: told[n] for n in values if told.get(n) is not None}
            values.update(known)
        values["layers"] = _places(values["layers"], num_states)
        return cls(**values)

    def __post_init__(self):
        if self.combination not in COMBINATIONS:
            raise ValueError(
                f"`combination` must be one of {', '.join(COMBINATIONS)}. "
                f"Received: combination={self.combination!r}."
            )
        if not isinstance(self.lstm_size, int) or self.lstm_size < 1:
            raise ValueError(
                "`lstm_size` must be an integer, at least 1. "
                f"Received: lstm_size={self.lstm_size!r}."
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(
                "`dropout` must be at least 0 and below 1. "
                f"Received: dropout={self.dropout!r}."
            )

    @property
    def settings(self):
        """The same as a dict for JSON."""
        return {**dataclasses.asdict(self), "layers": [*self.layers]}


def _places(layers, num_states):
    """Layers counted from the embeddings, 0."""
    layers = [layers] if isinstance(layers, int) else [*layers]
    is_right = all(
        isinstance(layer, int) and -num_states <= layer < num_states
        for layer in layers
    )
    places = tuple(layer % num_states for layer in layers) if is_right else ()
    if not places or len({*places}) != len(places):
        raise ValueError(
            "`layers` must be different numbers of layers, from "
            f"{-num_states} to {num_states - 1}: 0 for the embeddings, -1 for "
            f"the last block. Received: layers={layers!r}."
        )
    return places
