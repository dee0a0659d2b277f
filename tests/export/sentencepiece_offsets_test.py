"""Answers with offsets in texts, by the normalization of the model."""

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from tests import tiny


@pytest.mark.large
def test_a_tagger_is_served_with_offsets_of_the_library(
    make_settings_of, tmp_path
):
    settings = make_settings_of("xlm-roberta")
    config = tiny.config("xlm-roberta", V=40, initializer_range=0.5)
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
