"""Keras layers of BERT: usable alone in any functional model or backend."""

from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.bert_embeddings import BertEmbeddings
from keras_bert.layers.causal import CausalSelfAttention
from keras_bert.layers.causal import CausalTransformerBlock
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.nsp_head import NSPHead
from keras_bert.layers.self_attention import SelfAttention
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock

__all__ = [
    "BertEmbeddings",
    "CausalSelfAttention",
    "CausalTransformerBlock",
    "Dropout",
    "FlatDense",
    "LayerNorm",
    "MaskedLMHead",
    "NSPHead",
    "SelfAttention",
    "TransformerEncoderBlock",
    "gelu_tanh",
]
