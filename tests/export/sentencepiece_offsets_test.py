"""Answers with offsets in texts, by the normalization of the model."""

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.xlm_roberta.model import XLMRobertaConfig


@pytest.mark.large
def test_a_tagger_is_served_with_offsets_of_the_library(
    make_settings_of, tmp_path
):
    config = XLMRobertaConfig(
        40,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=18,
        initializer_range=0.5,
    )
    settings = make_settings_of("xlm-roberta")
    model = PretrainedModel.from_config(config, settings)
    tagger = keras_bert.TokenClassifier(model, labels=["O", "B-X"])
    keras_bert.export.export_saved_model(tagger, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    texts = ["word1  word2", "  word3 word4"]
    answer = loaded.signatures["serving_default"](text=tf.constant(texts))
    starts, ends = np.asarray(answer["starts"]), np.asarray(answer["ends"])
    found = [
        [text.encode()[s:e].decode() for s, e in zip(*spans) if e > s]
        for text, *spans in zip(texts, starts, ends)
    ]
    assert found == [["word1", "word2"], ["word3", "word4"]]
