"""Configuration of GPT-1 with the keys of the Hugging Face Hub."""

import dataclasses

from keras_bert import checks
from keras_bert.config import StrictConfig


@dataclasses.dataclass(frozen=True)
class OpenAIGPTConfig(StrictConfig):
    """Configuration of a GPT-1 model, with the published keys.

    Most keys correspond to keys of `BertConfig` with different names. The
    feed-forward hidden size is four times `n_embd`.

    Args:
        vocab_size: as in `BertConfig`.
        n_positions: `max_position_embeddings`.
        n_embd: `hidden_size`.
        n_layer: `num_hidden_layers`.
        n_head: `num_attention_heads`.
        afn: activation. Must be "gelu_tanh" (published as "gelu").
        resid_pdrop: dropout after sublayers.
        embd_pdrop: dropout after the embeddings.
        attn_pdrop: `attention_probs_dropout_prob`.
        layer_norm_epsilon: `layer_norm_eps`.
        initializer_range: as in `BertConfig`.

    References:
        [Improving Language Understanding by Generative Pre-Training](
        https://openai.com/research/language-unsupervised), section 4.1
    """

    vocab_size: int
    n_positions: int = 512
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    afn: str = "gelu_tanh"
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    family = "GPT-1"
    model_type = "openai-gpt"
    size_keys = {
        "V": "vocab_size",
        "P": "n_positions",
        "H": "n_embd",
        "I": "n_inner",
        "L": "n_layer",
        "N": "n_head",
    }
    is_decoder = True
    informative_keys = frozenset(("n_ctx", "predict_special_tokens"))
    # Number of special tokens in the combined word and position embeddings.
    required_values = {
        "n_special": 0,
        "summary_type": "cls_index",
        "summary_activation": None,
        "summary_use_proj": True,
        "summary_proj_to_labels": True,
    }
    activation_key = "afn"
    dropout_keys = "resid_pdrop", "attn_pdrop", "resid_pdrop"
    transformers_defaults = {"vocab_size": 40478}

    def __post_init__(self):
        super().__post_init__()
        checks.one_of(["gelu_tanh"], afn=self.afn)

    @property
    def n_inner(self):
        """Hidden size of the feed-forward networks."""
        return 4 * self.n_embd

    @property
    def layer_norm_eps(self):
        """Small float added to the variance in LayerNorm."""
        return self.layer_norm_epsilon

    @classmethod
    def _own_activation(cls, activation, values):
        # For GPT-1, Hugging Face also computes the tanh form.
        return super()._own_activation(activation, {})
