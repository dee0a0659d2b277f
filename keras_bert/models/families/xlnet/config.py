"""Configuration of XLNet with the keys of the Hugging Face Hub."""

import dataclasses

from keras_bert.config import StrictConfig


@dataclasses.dataclass(frozen=True)
class XLNetConfig(StrictConfig):
    """Configuration of an XLNet model, with the published keys.

    The defaults are from the base model.

    Args:
        vocab_size: as in `BertConfig`.
        d_model: `hidden_size`. Must be even.
        n_layer: `num_hidden_layers`.
        n_head: `num_attention_heads`.
        d_inner: `intermediate_size`.
        ff_activation: `hidden_act`.
        dropout: dropout after embeddings and sublayers, and of attention
            weights.
        summary_last_dropout: dropout before the logits of a classifier.
        initializer_range: as in `BertConfig`.
        layer_norm_eps: as in `BertConfig`.
        max_seq_length: maximum sequence length for tasks and training. No
            weight depends on it. Published configs do not have this key.

    References:
        [XLNet](https://arxiv.org/abs/1906.08237), appendix A.4
    """

    vocab_size: int
    d_model: int = 768
    n_layer: int = 12
    n_head: int = 12
    d_inner: int = 3072
    ff_activation: str = "gelu_erf"
    dropout: float = 0.1
    summary_last_dropout: float = 0.1
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    max_seq_length: int = 512

    family = "XLNet"
    model_type = "xlnet"
    size_keys = {
        "V": "vocab_size",
        "P": "max_seq_length",
        "H": "d_model",
        "I": "d_inner",
        "L": "n_layer",
        "N": "n_head",
        "S": "type_vocab_size",
    }
    activation_key = "ff_activation"
    dropout_keys = "dropout", "dropout", "summary_last_dropout"
    # Memories and beam search are not part of the model.
    informative_keys = frozenset(
        ("end_n_top", "mem_len", "reuse_len", "start_n_top", "use_mems")
        + ("use_mems_eval", "use_mems_train")
    )
    required_values = {
        "attn_type": "bi",
        "bi_data": False,
        "clamp_len": -1,
        "same_length": False,
        "summary_type": "last",
        "untie_r": True,
        "summary_activation": "tanh",
        "summary_use_proj": True,
    }
    transformers_defaults = {
        "vocab_size": 32000,
        "d_model": 1024,
        "n_layer": 24,
        "n_head": 16,
        "d_inner": 4096,
    }

    def __post_init__(self):
        super().__post_init__()
        if self.d_model % 2:
            raise ValueError(
                f"`d_model` must be even. Received: d_model={self.d_model}."
            )

    @property
    def type_vocab_size(self):
        """Number of segment ids: first text, second text, `<cls>`, padding."""
        return 4

    @property
    def derived_values(self):
        return {"d_head": self.d_model // self.n_head}
