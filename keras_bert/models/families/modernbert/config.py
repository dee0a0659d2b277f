"""Configuration of ModernBERT with the keys of transformers 4 and 5."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.config import StrictConfig
from keras_bert.messages import brief

_FULL, _SLIDING = "full_attention", "sliding_attention"
_THETAS = {_FULL: "global_rope_theta", _SLIDING: "local_rope_theta"}
_POOLINGS = ("cls", "mean")


@dataclasses.dataclass(frozen=True)
class ModernBertConfig(StrictConfig):
    """Configuration of a ModernBERT model, with the published keys.

    Configs with the keys of transformers 5, `layer_types` and
    `rope_parameters`, can be read too. Configs are written with the keys of
    transformers 5.

    Args:
        vocab_size: number of byte-level pieces.
        hidden_size: size of the token vectors.
        num_hidden_layers: number of Transformer blocks.
        num_attention_heads: number of attention heads. `hidden_size` must
            be an even multiple of it.
        intermediate_size: size of the gated hidden layer.
        hidden_activation: "gelu_erf" (published as "gelu"), "gelu_tanh",
            "relu" or "tanh".
        embedding_dropout: dropout after the embeddings.
        attention_dropout: dropout of attention weights and of the
            attention output.
        mlp_dropout: dropout of the gated values.
        classifier_dropout: dropout before the task head.
        classifier_pooling: input of a classifier: the first token ("cls")
            or the "mean" of the tokens.
        max_position_embeddings: maximum sequence length.
        local_attention: size of the sliding window, half of it on each side of
            a token.
        global_attn_every_n_layers: distance between two blocks with global
            attention. All other blocks have local attention.
        global_rope_theta: RoPE base of blocks with global attention.
        local_rope_theta: RoPE base of blocks with local attention.
        initializer_range: standard deviation of initial weights.
        norm_eps: small float added to the variance in LayerNorm.

    Raises:
        ValueError: a value has the wrong type, is out of range or violates a
            divisibility rule.

    References:
        [ModernBERT](https://arxiv.org/abs/2412.13663), section 2.1
    """

    vocab_size: int
    hidden_size: int = 768
    num_hidden_layers: int = 22
    num_attention_heads: int = 12
    intermediate_size: int = 1152
    hidden_activation: str = "gelu_erf"
    embedding_dropout: float = 0.0
    attention_dropout: float = 0.0
    mlp_dropout: float = 0.0
    classifier_dropout: float = 0.0
    classifier_pooling: Annotated[str, Check(checks.one_of, _POOLINGS)] = "cls"
    max_position_embeddings: int = 8192
    local_attention: Annotated[int, Check(checks.at_least, 2)] = 128
    global_attn_every_n_layers: int = 3
    global_rope_theta: Annotated[float, Check(checks.positive)] = 160000.0
    local_rope_theta: Annotated[float, Check(checks.positive)] = 10000.0
    initializer_range: float = 0.02
    norm_eps: float = 1e-5

    family = "ModernBERT"
    model_type = "modernbert"
    activation_key = "hidden_activation"
    plain_gelu = "gelu_erf"
    transformers_defaults = {"vocab_size": 50368}
    informative_keys = frozenset(
        """deterministic_flash_attn initializer_cutoff_factor layer_norm_eps
        position_embedding_type reference_compile repad_logits_with_grad
        sparse_pred_ignore_index sparse_prediction""".split()
    )
    required_values = {
        "attention_bias": False,
        "classifier_activation": "gelu",
        "classifier_bias": False,
        "decoder_bias": True,
        "mlp_bias": False,
        "norm_bias": False,
        "rope_scaling": None,
    }

    def __post_init__(self):
        super().__post_init__()
        if self.hidden_size // self.num_attention_heads % 2:
            raise ValueError(
                "`hidden_size` / `num_attention_heads` must be even, because "
                "positions rotate pairs of values. Received: hidden_size="
                f"{self.hidden_size}, "
                f"num_attention_heads={self.num_attention_heads}."
            )

    @property
    def layer_period(self):
        return self.global_attn_every_n_layers

    @property
    def layer_types(self):
        """Attention type of each block, as named in transformers."""
        return [
            _SLIDING if index % self.global_attn_every_n_layers else _FULL
            for index in range(self.num_hidden_layers)
        ]

    @property
    def derived_values(self):
        return {"head_dim": self.hidden_size // self.num_attention_heads}

    @classmethod
    def _parse(cls, values):
        values = dict(values)
        layer_types = values.pop("layer_types", None)
        rotary = values.pop("rope_parameters", None)
        if layer_types is not None:
            values["global_attn_every_n_layers"] = _period_of(layer_types)
        for layer_type, theta in _thetas_of({} if rotary is None else rotary):
            values[_THETAS[layer_type]] = theta
        config, unknown = super()._parse(values)
        if layer_types is not None and layer_types != config.layer_types:
            raise ValueError(
                "`layer_types` must name the attention type of each block: "
                f"{_FULL} for every n-th block from the first, {_SLIDING} for "
                f"the others. Received: layer_types={brief(layer_types)}."
            )
        return config, unknown

    def to_dict(self):
        values = super().to_dict()
        del values["global_attn_every_n_layers"]
        rotary = {
            layer_type: {"rope_theta": values.pop(key), "rope_type": "default"}
            for layer_type, key in _THETAS.items()
        }
        return {
            **values,
            "layer_types": self.layer_types,
            "rope_parameters": rotary,
        }


def _period_of(layer_types):
    """Return the distance between two blocks with global attention."""
    if not isinstance(layer_types, list) or not layer_types:
        raise ValueError(
            f"`layer_types` must be a list. Received: "
            f"layer_types={brief(layer_types)}."
        )
    if _FULL not in layer_types[1:]:
        return len(layer_types)
    return layer_types.index(_FULL, 1)


def _thetas_of(rotary):
    """Yield (attention type, RoPE base) pairs."""
    by_type = rotary if isinstance(rotary, dict) else {"": rotary}
    for layer_type, given in by_type.items():
        if (
            layer_type not in _THETAS
            or not isinstance(given, dict)
            or {*given} - {"rope_theta", "rope_type"}
            or given.get("rope_type", "default") != "default"
        ):
            raise ValueError(
                f"`rope_parameters` must give {_FULL} and {_SLIDING} a "
                '`rope_theta` and the `rope_type` "default". '
                f"Received: rope_parameters={brief(rotary)}."
            )
        if "rope_theta" in given:
            yield layer_type, given["rope_theta"]
