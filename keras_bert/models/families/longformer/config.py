"""Configuration of Longformer."""

import dataclasses

from keras_bert import checks
from keras_bert.messages import brief
from keras_bert.models.families.roberta import model as roberta

_MAX_BLOCKS = 2**16


@dataclasses.dataclass(frozen=True)
class LongformerConfig(roberta.RobertaConfig):
    """Configuration of a Longformer model.

    Args:
        attention_window: even number of neighbours that a token attends to,
            half of them on each side; or a list with one window size per block.
        sep_token_id: id of the separator, which ends a question.
        **kwargs: the keys of `RobertaConfig`.

    References:
        [Longformer](https://arxiv.org/abs/2004.05150), sections 3 and 5
    """

    max_position_embeddings: int = 4098
    attention_window: int | tuple[int, ...] = 512
    sep_token_id: int = 2

    family = "Longformer"
    model_type = "longformer"
    informative_keys = frozenset(
        (*roberta.RobertaConfig.informative_keys, "onnx_export")
    )
    required_values = {
        **roberta.RobertaConfig.required_values,
        "attention_mode": "longformer",
        "autoregressive": False,
        "ignore_attention_mask": False,
    }
    short_model_type = "roberta"
    transformers_defaults = {
        **roberta.RobertaConfig.transformers_defaults,
        "vocab_size": 30522,
    }

    def __post_init__(self):
        super().__post_init__()
        window, num_blocks = self.attention_window, self.num_hidden_layers
        if not isinstance(window, list | tuple):
            checks.even(2, attention_window=window)
            return
        if len(window) != num_blocks:
            raise ValueError(
                "`attention_window` must be an even integer, or a list with "
                f"one for each of the {num_blocks} blocks. Received: "
                f"attention_window={brief(window)}."
            )
        for number in window:
            checks.even(2, attention_window=number)
        # Normalize the windows, so that equivalent configs are equal.
        one = window[0] if len({*window}) == 1 else tuple(window)
        object.__setattr__(self, "attention_window", one)

    @property
    def derived_values(self):
        # The number of a damaged file must not exhaust memory.
        num_blocks = min(self.num_hidden_layers, _MAX_BLOCKS)
        return {"attention_dilation": [1] * num_blocks}

    @property
    def windows(self):
        """Window size of each block."""
        window = self.attention_window
        if isinstance(window, tuple):
            return window
        return (window,) * self.num_hidden_layers
