import dataclasses

import numpy as np
import pytest

from keras_bert import models
from keras_bert.config import BertConfig
from keras_bert.models import bert_encoder
from keras_bert.models import bert_pretrainer
from keras_bert.models.distilbert import DistilBertConfig

_TINY = DistilBertConfig(
    vocab_size=30,
    dim=8,
    n_layers=2,
    n_heads=2,
    hidden_dim=16,
    dropout=0.0,
    attention_dropout=0.0,
    max_position_embeddings=16,
)
# As of distilbert-base-uncased.
_PUBLISHED = {
    "activation": "gelu",
    "architectures": ["DistilBertForMaskedLM"],
    "attention_dropout": 0.1,
    "dim": 768,
    "dropout": 0.1,
    "hidden_dim": 3072,
    "initializer_range": 0.02,
    "max_position_embeddings": 512,
    "model_type": "distilbert",
    "n_heads": 12,
    "n_layers": 6,
    "pad_token_id": 0,
    "qa_dropout": 0.1,
    "seq_classif_dropout": 0.2,
    "sinusoidal_pos_embds": False,
    "tie_weights_": True,
    "transformers_version": "4.10.0.dev0",
    "vocab_size": 30522,
}


def encoder_part(batch):
    return {name: batch[0][name] for name in ("input_ids", "input_mask")}


def as_bert(config):
    """The `BertConfig` of a BERT of the same layers."""
    return BertConfig(
        vocab_size=config.vocab_size,
        hidden_size=config.dim,
        num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads,
        intermediate_size=config.hidden_dim,
        hidden_act=config.activation,
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.attention_dropout,
        max_position_embeddings=config.max_position_embeddings,
    )


def copy_weights(source, target):
    """By path; what the source lacks becomes 0. Returns what that is."""
    values = {weight.path: weight.numpy() for weight in source.weights}
    lacking = []
    for weight in target.weights:
        if weight.path in values:
            weight.assign(values.pop(weight.path))
        else:
            weight.assign(np.zeros(weight.shape))
            lacking.append(weight.path)
    assert not values, values
    return lacking


@pytest.mark.parametrize(
    "build, count",
    [(models.encoder, 66_362_880), (models.pretrainer, 66_985_530)],
)
def test_parameter_count_is_the_published_one(num_parameters, build, count):
    config = DistilBertConfig.from_dict(_PUBLISHED)
    assert num_parameters(build, config) == count


def test_it_is_a_bert_without_segments_and_pooler(random_batch, widened):
    encoder = widened(models.encoder(_TINY))
    bert = bert_encoder(as_bert(_TINY))
    assert copy_weights(encoder, bert) == [
        "embeddings/segment_embeddings",
        "pooler/kernel",
        "pooler/bias",
    ]
    inputs = encoder_part(random_batch(0))
    outputs = encoder.predict_on_batch(inputs)
    assert [*outputs] == ["sequence_output"]
    segments = random_batch(0)[0]["segment_ids"]
    expected = bert.predict_on_batch({**inputs, "segment_ids": segments})
    np.testing.assert_allclose(
        outputs["sequence_output"], expected["sequence_output"], atol=1e-5
    )


def test_its_head_is_that_of_bert(random_batch, widened):
    model = widened(models.pretrainer(_TINY))
    bert = bert_pretrainer(as_bert(_TINY))
    copy_weights(model, bert)
    inputs = random_batch(0)[0]
    expected = bert.predict_on_batch(inputs)["mlm_logits"]
    del inputs["segment_ids"]
    outputs = model.predict_on_batch(inputs)
    assert [*outputs] == ["mlm_logits"]
    np.testing.assert_allclose(outputs["mlm_logits"], expected, atol=1e-5)


def test_its_last_block_computes_only_what_is_predicted(random_batch):
    model = models.pretrainer(_TINY)
    head = model.get_layer("masked_lm_head")
    assert head.input.shape == (None, None, 8)
    shapes = []
    block = model.get_layer("block_1")
    normalize = block.output_layer_norm.call
    block.output_layer_norm.call = lambda x: (
        shapes.append(tuple(x.shape)) or normalize(x)
    )
    inputs = random_batch(0)[0]
    del inputs["segment_ids"]
    model(inputs)
    assert shapes == [(4, 3, 8)]


def test_the_output_of_attention_is_not_dropped():
    config = dataclasses.replace(_TINY, dropout=0.5, attention_dropout=0.25)
    block = models.encoder(config).get_layer("block_1")
    assert block.self_attention.output_dropout.rate == 0
    assert block.self_attention.weights_dropout.rate == 0.25
    assert block.feed_forward.output_dropout.rate == 0.5


def test_keras_file_keeps_outputs_and_tie(
    random_batch, widened, check_keras_file
):
    model = widened(models.pretrainer(_TINY))
    inputs = random_batch(0)[0]
    del inputs["segment_ids"]
    check_keras_file(model, inputs)


def test_published_config_is_read():
    config = DistilBertConfig.from_dict(_PUBLISHED)
    assert config == DistilBertConfig(vocab_size=30522)
    assert config.activation == "gelu_erf"


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'distilbert' for DistilBERT.*'bert'"),
        ("hidden_size", 768, "Unknown config key.*hidden_size=768.*n_layers"),
        ("tie_weights_", False, "`tie_weights_` must be True.*False"),
        ("n_heads", 7, "`dim` must be divisible by `n_heads`.*n_heads=7"),
        ("n_layers", 0, "`n_layers` must be at least 1.*n_layers=0"),
        ("dropout", 1.0, "`dropout` must be at least 0 and below 1.*=1.0"),
        ("activation", "swish", "`activation` must be one of.*'swish'"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(DistilBertConfig, {**_PUBLISHED, key: value}, message)
