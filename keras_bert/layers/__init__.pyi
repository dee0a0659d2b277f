"""Keras layers of BERT and related models, for any backend."""

from .activations import gelu_erf as gelu_erf
from .activations import gelu_tanh as gelu_tanh
from .attention_patterns import Window as Window
from .attention_patterns import causal as causal
from .bert_embeddings import BertEmbeddings as BertEmbeddings
from .bert_embeddings import BigBirdEmbeddings as BigBirdEmbeddings
from .block_sparse_attention import BlockSparseAttention as BlockSparseAttention
from .character_embeddings import CharacterEmbeddings as CharacterEmbeddings
from .choices import MergeChoices as MergeChoices
from .choices import SplitChoices as SplitChoices
from .convolved_block import ConvolvedBlock as ConvolvedBlock
from .disentangled_attention import (
    DisentangledAttention as DisentangledAttention,
)
from .disentangled_embeddings import (
    DisentangledEmbeddings as DisentangledEmbeddings,
)
from .dropout import Dropout as Dropout
from .ernie_embeddings import ErnieEmbeddings as ErnieEmbeddings
from .factorized_embeddings import FactorizedEmbeddings as FactorizedEmbeddings
from .feed_forward import FeedForward as FeedForward
from .feed_forward import ResidualFeedForward as ResidualFeedForward
from .flat_dense import DropoutDense as DropoutDense
from .flat_dense import FlatDense as FlatDense
from .flat_dense import NormedDense as NormedDense
from .gated_feed_forward import GatedFeedForward as GatedFeedForward
from .global_tokens import GlobalTokens as GlobalTokens
from .layer_norm import LayerNorm as LayerNorm
from .layer_norm import UnshiftedLayerNorm as UnshiftedLayerNorm
from .lstm import LSTM as LSTM
from .mask_queries import MaskQueries as MaskQueries
from .masked_lm_head import MaskedLMHead as MaskedLMHead
from .nsp_head import NSPHead as NSPHead
from .positions import TextPositions as TextPositions
from .post_norm_block import PostNormBlock as PostNormBlock
from .pre_norm_block import PreNormBlock as PreNormBlock
from .projected_lstm import ProjectedLSTMCell as ProjectedLSTMCell
from .relative_attention import RelativeAttention as RelativeAttention
from .relative_bias import RelativeBias as RelativeBias
from .relative_table import RelativeTable as RelativeTable
from .replaced_token_head import (
    NormedReplacedTokenHead as NormedReplacedTokenHead,
)
from .replaced_token_head import ReplacedTokenHead as ReplacedTokenHead
from .roberta_embeddings import RobertaEmbeddings as RobertaEmbeddings
from .rotary import Rotary as Rotary
from .scalar_mix import ScalarMix as ScalarMix
from .self_attention import SelfAttention as SelfAttention
from .separate_disentangled_attention import (
    SeparateDisentangledAttention as SeparateDisentangledAttention,
)
from .sliding_window_attention import (
    SlidingWindowAttention as SlidingWindowAttention,
)
from .span_boundary_head import SpanBoundaryHead as SpanBoundaryHead
from .task_head import TaskHead as TaskHead
from .tied_head import LMHead as LMHead
from .tied_head import TiedHead as TiedHead
from .token_embeddings import PlainEmbeddings as PlainEmbeddings
from .token_embeddings import TokenEmbeddings as TokenEmbeddings
from .token_replacement import TokenReplacement as TokenReplacement
from .transformer_encoder_block import (
    TransformerEncoderBlock as TransformerEncoderBlock,
)
from .two_stream_embeddings import PredictionRanks as PredictionRanks
from .two_stream_embeddings import QueryStart as QueryStart
from .two_stream_embeddings import TwoStreamEmbeddings as TwoStreamEmbeddings
from .word_embeddings import WordEmbeddings as WordEmbeddings
