"""Registration of this library's classes with Keras for loading models.

Keras finds the classes of a saved model in its table of custom objects. To
avoid importing Keras or TensorFlow early, `import keras_bert` adds lazy
stand-ins to this table as soon as Keras is imported. A stand-in imports its
class when a model needs it.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys

# Registered classes by module; a test compares the table with the code.
_CLASSES = {
    "layers.attention.attention_patterns": "Window",
    "layers.attention.block_sparse_attention": "BlockSparseAttention",
    "layers.attention.disentangled_attention": "DisentangledAttention",
    "layers.attention.global_tokens": "GlobalTokens",
    "layers.attention.relative_attention": "RelativeAttention",
    "layers.attention.relative_bias": "RelativeBias",
    "layers.attention.relative_table": "RelativeTable",
    "layers.attention.rotary": "Rotary",
    "layers.attention.self_attention": "SelfAttention",
    "layers.attention.separate_disentangled_attention": (
        "SeparateDisentangledAttention"
    ),
    "layers.attention.sliding_window_attention": "SlidingWindowAttention",
    "layers.blocks.convolved_block": "ConvolvedBlock",
    "layers.blocks.feed_forward": "FeedForward ResidualFeedForward",
    "layers.blocks.gated_feed_forward": "GatedFeedForward",
    "layers.blocks.post_norm_block": "PostNormBlock",
    "layers.blocks.pre_norm_block": "PreNormBlock",
    "layers.blocks.transformer_encoder_block": "TransformerEncoderBlock",
    "layers.dropout": "Dropout",
    "layers.embeddings.bert_embeddings": "BertEmbeddings BigBirdEmbeddings",
    "layers.embeddings.character_embeddings": "CharacterEmbeddings",
    "layers.embeddings.disentangled_embeddings": "DisentangledEmbeddings",
    "layers.embeddings.ernie_embeddings": "ErnieEmbeddings",
    "layers.embeddings.factorized_embeddings": "FactorizedEmbeddings",
    "layers.embeddings.roberta_embeddings": "RobertaEmbeddings",
    "layers.embeddings.token_embeddings": "PlainEmbeddings TokenEmbeddings",
    "layers.embeddings.two_stream_embeddings": (
        "PredictionRanks QueryStart TwoStreamEmbeddings"
    ),
    "layers.embeddings.word_embeddings": "WordEmbeddings",
    "layers.flat_dense": "DropoutDense FlatDense NormedDense",
    "layers.heads.choices": "MergeChoices SplitChoices",
    "layers.heads.lstm": "LSTM",
    "layers.heads.mask_queries": "MaskQueries",
    "layers.heads.masked_lm_head": "MaskedLMHead",
    "layers.heads.nsp_head": "NSPHead",
    "layers.heads.projected_lstm": "ProjectedLSTMCell",
    "layers.heads.replaced_token_head": (
        "NormedReplacedTokenHead ReplacedTokenHead"
    ),
    "layers.heads.scalar_mix": "ScalarMix",
    "layers.heads.span_boundary_head": "SpanBoundaryHead",
    "layers.heads.task_head": "TaskHead",
    "layers.heads.tied_head": "LMHead TiedHead",
    "layers.heads.token_replacement": "TokenReplacement",
    "layers.layer_norm": "LayerNorm UnshiftedLayerNorm",
    "layers.positions": "TextPositions",
    "losses.angle": "AnglELoss",
    "losses.binary_cross_entropy": "BinaryCrossEntropyLoss",
    "losses.cosent": "CoSENTLoss",
    "losses.cosine_similarity": "CosineSimilarityLoss",
    "losses.distill_kl_div": "DistillKLDivLoss",
    "losses.lambda_loss": "LambdaLoss",
    "losses.list_net": "ListNetLoss",
    "losses.margin_mse": "MarginMSELoss",
    "losses.matryoshka": "MatryoshkaLoss",
    "losses.mse": "MSELoss",
    "losses.multiple_negatives_ranking": "MultipleNegativesRankingLoss",
    "losses.score_margin_mse": "ScoreMarginMSELoss",
    "losses.score_mse": "ScoreMSELoss",
    "losses.triplet": "TripletLoss",
    "optimizers.adamw": "AdamW",
    "optimizers.cross_entropy": "SpanCrossEntropy SparseCrossEntropy",
    "optimizers.lamb": "Lamb",
    "optimizers.schedules": (
        "CosineWarmupDecay LinearWarmupDecay PolynomialWarmupDecay "
        "WarmupStableDecay"
    ),
    "optimizers.stable_adamw": "StableAdamW",
    "tasks.keras_model": "TextAnswers",
    "tasks.training.monitoring": "LabelAccuracy",
}
# Modules with registered functions.
_MODULES_OF_FUNCTIONS = (
    "layers.activations",
    "layers.attention.attention_patterns",
)


def registered() -> dict[str, str]:
    """Return the module of each registered class, by class name."""
    return {
        name: f"keras_bert.{module}"
        for module, names in _CLASSES.items()
        for name in names.split()
    }


def register_with_keras():
    """Register the classes, now or as soon as Keras is imported."""
    if sys.modules.get("keras") is not None:
        _add_stand_ins(sys.modules["keras"])
    else:
        sys.meta_path.insert(0, _KerasImportHook())


class _StandIn:
    """Lazy stand-in for a class that is imported when Keras needs it."""

    def __init__(self, module, name):
        self._module = module
        self._name = name

    def from_config(self, config):
        module = importlib.import_module(self._module)
        return getattr(module, self._name).from_config(config)


class _KerasImportHook(importlib.abc.MetaPathFinder):
    """Import hook that registers the classes after Keras is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "keras":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _registering(spec.loader.exec_module)
        return spec


def _registering(exec_module):
    def run(module):
        exec_module(module)
        _add_stand_ins(module)

    return run


def _add_stand_ins(keras):
    known = keras.saving.get_custom_objects()
    for name, module in registered().items():
        known.setdefault(f"keras_bert>{name}", _StandIn(module, name))
    # Keras returns functions as they are, so they have no stand-ins.
    for module in _MODULES_OF_FUNCTIONS:
        importlib.import_module(f"keras_bert.{module}")
