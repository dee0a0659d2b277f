"""GPT-1 in tasks and exports, with its own tokens."""

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from tests import tiny

_TEXTS = ["word1 word2", "word3", "word4 word5 word6", "word7 word1"]


@pytest.fixture
def model(make_settings):
    sizes = {"V": 40, "P": 12, "H": 16, "initializer_range": 0.5}
    config = tiny.config("openai-gpt", **sizes)
    return PretrainedModel.from_config(config, make_settings("bpe"))


def test_texts_stand_between_tokens_of_their_own(model):
    known = {path: np.array(x.numpy()) for path, x in model.weights.items()}
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    tokens = classifier.preprocess.tokenizer.vocabulary.tokens
    assert tokens[:40] == model.tokenizer.vocabulary.tokens
    assert tokens[40:] == ("_start_", "_delimiter_", "_classify_")
    texts = [["word1", "word2 _classify_"], ["word3", "word4"]]
    (one, other), (two, _) = (
        tokenizer(["word1", "word3"]).to_list()
        for tokenizer in (model.tokenizer, classifier.preprocess.tokenizer)
    )
    assert one == two
    embedder = keras_bert.TextEmbedder(model, pooling="mean")
    alone = embedder.preprocess(["word1"])["input_ids"].numpy()[0]
    assert alone.tolist() == [*one] + [0] * (12 - len(one))
    single = classifier.preprocess(texts[0])["input_ids"].numpy()
    assert single[0].tolist() == [40, *one, 42] + [0] * 9
    assert sorted(single[1][single[1] >= 40]) == [40, 42]
    pair = classifier.preprocess(*texts)["input_ids"].numpy()[0]
    assert pair.tolist() == [40, *one, 41, *other, 42] + [0] * 7
    weights = classifier.pretrained.weights
    for path, values in known.items():
        np.testing.assert_array_equal(weights[path][: len(values)], values)
    fresh = weights["embeddings/word_embeddings"][40:].numpy()
    assert 0.2 < fresh.std() < 0.8
    chooser = keras_bert.MultipleChoice(classifier.pretrained)
    assert chooser.pretrained.backbone is classifier.pretrained.backbone
    answerer = keras_bert.QuestionAnswerer(model)
    assert answerer.pretrained.config.vocab_size == 40


def test_rows_that_pad_the_table_are_taken(make_settings):
    config = OpenAIGPTConfig(64, 12, 16, 2, 2)
    model = PretrainedModel.from_config(config, make_settings("wordpiece"))
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    assert classifier.pretrained.config.vocab_size == 64
    assert len(classifier.pretrained.tokenizer.vocabulary) == 43


def test_a_tokenizer_that_takes_no_tokens_is_refused(make_settings):
    config = OpenAIGPTConfig(40, 12, 16, 2, 2)
    model = PretrainedModel.from_config(config, make_settings("sentencepiece"))
    with pytest.raises(ValueError, match="cannot be added.*: _start_, _de"):
        keras_bert.TextClassifier(model, labels=["one", "other"])


@pytest.mark.exhaustive
def test_a_classifier_reads_the_last_token_and_is_served(model, tmp_path):
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    expected = classifier._logits(classifier._encode(_TEXTS))
    alone = classifier._logits(classifier._encode(_TEXTS[1:2]))
    np.testing.assert_allclose(alone, expected[1:2], atol=1e-5)
    keras_bert.export.export_saved_model(classifier, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    answer = loaded.signatures["serving_default"](text=tf.constant(_TEXTS))
    np.testing.assert_allclose(answer["logits"], expected, atol=1e-4)


def test_words_are_not_tagged(model):
    tagger = keras_bert.TokenClassifier(model, labels=["O", "B-X"])
    with pytest.raises(ValueError, match="whether they continue a word"):
        tagger.predict(["word1 word2"])
