"""Our classes in saved Keras models are found after `import keras_bert`.

Keras looks a class up in its table of custom objects and imports nothing by
itself. So that neither Keras nor TensorFlow is imported before it is used,
stand-ins are put into that table when Keras comes; each imports its class
when a model asks for it.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys

_PACKAGE = "keras_bert"
CLASSES = {
    "AdamW": "training.adamw",
    "BertEmbeddings": "layers.bert_embeddings",
    "CharacterEmbeddings": "layers.character_embeddings",
    "ConvolvedBlock": "layers.convolved_block",
    "CosineWarmupDecay": "training.schedules",
    "DisentangledEmbeddings": "layers.disentangled_embeddings",
    "DisentangledAttention": "layers.disentangled_attention",
    "Dropout": "layers.dropout",
    "DropoutDense": "layers.flat_dense",
    "FactorizedEmbeddings": "layers.factorized_embeddings",
    "FeedForward": "layers.feed_forward",
    "FlatDense": "layers.flat_dense",
    "GatedFeedForward": "layers.gated_feed_forward",
    "LMHead": "layers.tied_head",
    "LSTM": "layers.lstm",
    "Lamb": "training.lamb",
    "LayerNorm": "layers.layer_norm",
    "LinearWarmupDecay": "training.schedules",
    "MaskQueries": "layers.mask_queries",
    "MaskedLMHead": "layers.masked_lm_head",
    "MergeChoices": "layers.choices",
    "NSPHead": "layers.nsp_head",
    "NormedDense": "layers.flat_dense",
    "NormedReplacedTokenHead": "layers.replaced_token_head",
    "PlainEmbeddings": "layers.token_embeddings",
    "PolynomialWarmupDecay": "training.schedules",
    "PostNormBlock": "layers.post_norm_block",
    "PreNormBlock": "layers.pre_norm_block",
    "ProjectedLSTMCell": "layers.projected_lstm",
    "RelativeBias": "layers.relative_bias",
    "RelativeTable": "layers.relative_table",
    "ReplacedTokenHead": "layers.replaced_token_head",
    "RobertaEmbeddings": "layers.roberta_embeddings",
    "Rotary": "layers.rotary",
    "ScalarMix": "layers.scalar_mix",
    "SelfAttention": "layers.self_attention",
    "SeparateDisentangledAttention": "layers.separate_disentangled_attention",
    "SpanCrossEntropy": "training.cross_entropy",
    "SparseCrossEntropy": "training.cross_entropy",
    "SplitChoices": "layers.choices",
    "StableAdamW": "training.stable_adamw",
    "TaskHead": "layers.task_head",
    "TextAnswers": "tasks.keras_model",
    "TextPositions": "layers.positions",
    "TiedHead": "layers.tied_head",
    "TokenEmbeddings": "layers.token_embeddings",
    "TokenReplacement": "layers.token_replacement",
    "TransformerEncoderBlock": "layers.transformer_encoder_block",
    "UnshiftedLayerNorm": "layers.layer_norm",
    "WarmupStableDecay": "training.schedules",
    "Window": "layers.attention_patterns",
    "WordEmbeddings": "layers.word_embeddings",
}
# A function is the object itself, for which nothing can stand in.
FUNCTIONS = {
    "causal": "layers.attention_patterns",
    "gelu_erf": "layers.activations",
    "gelu_tanh": "layers.activations",
}


def register_with_keras():
    """Has Keras find our classes, now or as soon as it is imported."""
    if sys.modules.get("keras") is not None:
        _add_stand_ins(sys.modules["keras"])
    else:
        sys.meta_path.insert(0, _AfterKeras())


class _StandIn:
    """Answers Keras as a class does, without the class."""

    def __init__(self, name):
        self._name = name

    def from_config(self, config):
        module = f"{_PACKAGE}.{CLASSES[self._name]}"
        real = getattr(importlib.import_module(module), self._name)
        return real.from_config(config)


class _AfterKeras(importlib.abc.MetaPathFinder):
    """Finds Keras as it is found anyway, but acts once it is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "keras":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _followed(spec.loader.exec_module)
        return spec


def _followed(exec_module):
    def run(module):
        exec_module(module)
        _add_stand_ins(module)

    return run


def _add_stand_ins(keras):
    known = keras.saving.get_custom_objects()
    for name in CLASSES:
        known.setdefault(f"{_PACKAGE}>{name}", _StandIn(name))
    for module in sorted({*FUNCTIONS.values()}):
        importlib.import_module(f"{_PACKAGE}.{module}")
