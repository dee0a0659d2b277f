"""Registration of this library's classes with Keras for loading models.

Keras finds the classes of a saved model in its table of custom objects.
`import keras_bert.layers`, or `import keras_bert` after Keras, adds a stand-in
for each class. It imports the class when a model needs it.
"""

import importlib
import typing

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
    "layers.embeddings.token_embeddings": (
        "PlainEmbeddings TokenEmbeddings WordEmbeddings"
    ),
    "layers.embeddings.two_stream_embeddings": (
        "PredictionRanks QueryStart TwoStreamEmbeddings"
    ),
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
    "losses.batch_hard_triplet": "BatchHardTripletLoss",
    "losses.binary_cross_entropy": "BinaryCrossEntropyLoss",
    "losses.contrastive": "ContrastiveLoss",
    "losses.cosent": "CoSENTLoss",
    "losses.cosine_similarity": "CosineSimilarityLoss",
    "losses.cross_entropy": "SpanCrossEntropy SparseCrossEntropy",
    "losses.distill_kl_div": "DistillKLDivLoss",
    "losses.lambda_loss": "LambdaLoss",
    "losses.list_net": "ListNetLoss",
    "losses.margin_mse": "MarginMSELoss",
    "losses.matryoshka": "MatryoshkaLoss",
    "losses.mse": "MSELoss",
    "losses.multiple_negatives_ranking": "MultipleNegativesRankingLoss",
    "losses.score_margin_mse": "ScoreMarginMSELoss",
    "losses.score_mse": "ScoreMSELoss",
    "losses.splade": "SpladeLoss",
    "losses.triplet": "TripletLoss",
    "optimizers.adamw": "AdamW",
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


def register(custom_objects: dict[str, typing.Any]) -> None:
    """Add the classes to Keras's table of custom objects.

    Args:
        custom_objects: result of `keras.saving.get_custom_objects`.
    """
    for name, module in registered().items():
        stand_in = _StandIn(module, name)
        custom_objects.setdefault(f"keras_bert>{name}", stand_in)
    # Keras returns functions as they are, so they have no stand-ins.
    for module in _MODULES_OF_FUNCTIONS:
        importlib.import_module(f"keras_bert.{module}")


class _StandIn:
    """Lazy stand-in for a class that is imported when Keras needs it."""

    def __init__(self, module, name):
        self._module = module
        self._name = name

    def from_config(self, config):
        module = importlib.import_module(self._module)
        return getattr(module, self._name).from_config(config)
