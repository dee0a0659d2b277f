"""Keras layers of BERT and its relatives, usable alone on any backend."""

from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.attention_patterns import Window
from keras_bert.layers.attention_patterns import causal
from keras_bert.layers.bert_embeddings import BertEmbeddings
from keras_bert.layers.choices import MergeChoices
from keras_bert.layers.choices import SplitChoices
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.dropout_dense import DropoutDense
from keras_bert.layers.factorized_embeddings import FactorizedEmbeddings
from keras_bert.layers.feed_forward import FeedForward
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.gated_feed_forward import GatedFeedForward
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.layer_norm import UnshiftedLayerNorm
from keras_bert.layers.lstm import LSTM
from keras_bert.layers.masked_lm_head import MaskedLMHead
from keras_bert.layers.normed_dense import NormedDense
from keras_bert.layers.nsp_head import NSPHead
from keras_bert.layers.post_norm_block import PostNormBlock
from keras_bert.layers.pre_norm_block import PreNormBlock
from keras_bert.layers.roberta_embeddings import RobertaEmbeddings
from keras_bert.layers.rotary import Rotary
from keras_bert.layers.scalar_mix import ScalarMix
from keras_bert.layers.self_attention import SelfAttention
from keras_bert.layers.task_head import TaskHead
from keras_bert.layers.tied_head import TiedHead
from keras_bert.layers.token_embeddings import TokenEmbeddings
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock
from keras_bert.layers.word_embeddings import WordEmbeddings

__all__ = [
    "BertEmbeddings",
    "Dropout",
    "DropoutDense",
    "FactorizedEmbeddings",
    "FeedForward",
    "FlatDense",
    "GatedFeedForward",
    "LSTM",
    "LayerNorm",
    "MaskedLMHead",
    "MergeChoices",
    "NSPHead",
    "NormedDense",
    "PostNormBlock",
    "PreNormBlock",
    "RobertaEmbeddings",
    "Rotary",
    "ScalarMix",
    "SelfAttention",
    "SplitChoices",
    "TaskHead",
    "TiedHead",
    "TokenEmbeddings",
    "TransformerEncoderBlock",
    "UnshiftedLayerNorm",
    "Window",
    "WordEmbeddings",
    "causal",
    "gelu_erf",
    "gelu_tanh",
]
