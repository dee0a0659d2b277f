"""Keras layers of BERT and related models, for any backend."""

from .activations import gelu_erf as gelu_erf
from .activations import gelu_tanh as gelu_tanh
from .attention.attention_patterns import Window as Window
from .attention.attention_patterns import causal as causal
from .attention.block_sparse_attention import (
    BlockSparseAttention as BlockSparseAttention,
)
from .attention.disentangled_attention import (
    DisentangledAttention as DisentangledAttention,
)
from .attention.global_tokens import GlobalTokens as GlobalTokens
from .attention.relative_attention import RelativeAttention as RelativeAttention
from .attention.relative_bias import RelativeBias as RelativeBias
from .attention.relative_table import RelativeTable as RelativeTable
from .attention.rotary import Rotary as Rotary
from .attention.self_attention import SelfAttention as SelfAttention
from .attention.separate_disentangled_attention import (
    SeparateDisentangledAttention as SeparateDisentangledAttention,
)
from .attention.sliding_window_attention import (
    SlidingWindowAttention as SlidingWindowAttention,
)
from .blocks.convolved_block import ConvolvedBlock as ConvolvedBlock
from .blocks.feed_forward import FeedForward as FeedForward
from .blocks.feed_forward import ResidualFeedForward as ResidualFeedForward
from .blocks.gated_feed_forward import GatedFeedForward as GatedFeedForward
from .blocks.post_norm_block import PostNormBlock as PostNormBlock
from .blocks.pre_norm_block import PreNormBlock as PreNormBlock
from .blocks.transformer_encoder_block import (
    TransformerEncoderBlock as TransformerEncoderBlock,
)
from .dropout import Dropout as Dropout
from .embeddings.bert_embeddings import BertEmbeddings as BertEmbeddings
from .embeddings.bert_embeddings import BigBirdEmbeddings as BigBirdEmbeddings
from .embeddings.character_embeddings import (
    CharacterEmbeddings as CharacterEmbeddings,
)
from .embeddings.disentangled_embeddings import (
    DisentangledEmbeddings as DisentangledEmbeddings,
)
from .embeddings.ernie_embeddings import ErnieEmbeddings as ErnieEmbeddings
from .embeddings.factorized_embeddings import (
    FactorizedEmbeddings as FactorizedEmbeddings,
)
from .embeddings.roberta_embeddings import (
    RobertaEmbeddings as RobertaEmbeddings,
)
from .embeddings.token_embeddings import PlainEmbeddings as PlainEmbeddings
from .embeddings.token_embeddings import TokenEmbeddings as TokenEmbeddings
from .embeddings.token_embeddings import WordEmbeddings as WordEmbeddings
from .embeddings.two_stream_embeddings import PredictionRanks as PredictionRanks
from .embeddings.two_stream_embeddings import QueryStart as QueryStart
from .embeddings.two_stream_embeddings import (
    TwoStreamEmbeddings as TwoStreamEmbeddings,
)
from .flat_dense import DropoutDense as DropoutDense
from .flat_dense import FlatDense as FlatDense
from .flat_dense import NormedDense as NormedDense
from .heads.choices import MergeChoices as MergeChoices
from .heads.choices import SplitChoices as SplitChoices
from .heads.lstm import LSTM as LSTM
from .heads.mask_queries import MaskQueries as MaskQueries
from .heads.masked_lm_head import MaskedLMHead as MaskedLMHead
from .heads.nsp_head import NSPHead as NSPHead
from .heads.projected_lstm import ProjectedLSTMCell as ProjectedLSTMCell
from .heads.replaced_token_head import (
    NormedReplacedTokenHead as NormedReplacedTokenHead,
)
from .heads.replaced_token_head import ReplacedTokenHead as ReplacedTokenHead
from .heads.scalar_mix import ScalarMix as ScalarMix
from .heads.span_boundary_head import SpanBoundaryHead as SpanBoundaryHead
from .heads.task_head import TaskHead as TaskHead
from .heads.tied_head import LMHead as LMHead
from .heads.tied_head import TiedHead as TiedHead
from .heads.token_replacement import TokenReplacement as TokenReplacement
from .layer_norm import LayerNorm as LayerNorm
from .layer_norm import UnshiftedLayerNorm as UnshiftedLayerNorm
from .positions import TextPositions as TextPositions
