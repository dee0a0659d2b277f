import json

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import save_pretrained
from keras_bert.tasks import FeatureExtractor
from keras_bert.tasks import FillMask
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import load_any_task
from keras_bert.tasks import load_task


@pytest.mark.smoke("hf")
@pytest.mark.parametrize("format", ["keras", "hf"])
def test_special_tokens_in_texts_are_found_on_demand(bert, tmp_path, format):
    text = ["the [SEP] dog"]
    sep = bert.tokenizer.vocabulary.id_of("[SEP]")
    save_pretrained(bert, tmp_path / "plain", format=format)

    def num_sep(task):
        return list(task.preprocess(text)["input_ids"].numpy()[0]).count(sep)

    for found, number in ((None, 1), (True, 2)):
        embedder = TextEmbedder.from_pretrained(
            tmp_path / "plain", special_tokens_in_text=found
        )
        assert num_sep(embedder) == number
    classifier = TextClassifier.from_pretrained(
        tmp_path / "plain", labels=["x", "y"], special_tokens_in_text=True
    )
    classifier.save(tmp_path / "found", format=format)
    again = load_task(tmp_path / "found")
    assert num_sep(classifier) == num_sep(again) == 2
    plain = load_task(tmp_path / "found", special_tokens_in_text=False)
    assert num_sep(plain) == 1


@pytest.mark.smoke("keras")
@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_regression_of_two_outputs_has_two_numbers(bert, tmp_path, format):
    classifier = TextClassifier(bert, labels=["x", "y"])
    classifier.save(tmp_path / "one", format="hf")
    for name in ("manifest.json", "task.json"):
        (tmp_path / "one" / name).unlink()
    path = tmp_path / "one" / "config.json"
    config = {**json.loads(path.read_text()), "problem_type": "regression"}
    path.write_text(json.dumps(config))
    regressor = load_task(tmp_path / "one")
    assert isinstance(regressor, TextRegressor)
    regressor.save(tmp_path / "two", format=format)
    texts = ["the dog", "a cat sees"]
    expected = classifier._logits(classifier._encode(texts))
    for read in (regressor, load_task(tmp_path / "two")):
        np.testing.assert_allclose(read.predict(texts), expected, atol=1e-6)
    scores = regressor.evaluate(texts, expected)
    assert scores["pearson"] > 0.99 and scores["mean_squared_error"] < 1e-9
    scores = regressor.predict_texts(tf.constant(texts))["score"]
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    regressor.fit(texts, [[1, 2], [3, 4]], epochs=1, verbose=0)


def test_an_encoder_may_be_something_else(bert, tmp_path):
    save_pretrained(bert, tmp_path / "encoder")
    TextRegressor(bert).save(tmp_path / "regressor")
    TextEmbedder(bert, seq_length=7).save(tmp_path / "embedder")
    for name, arguments, kind, length in (
        ("encoder", {"seq_length": 7}, FillMask, 7),
        ("encoder", {"default": "feature_extractor"}, FeatureExtractor, 12),
        ("encoder", {"encoder_task": "text_embedder"}, TextEmbedder, 12),
        ("regressor", {"seq_length": 9}, TextRegressor, 9),
        ("embedder", {}, TextEmbedder, 7),
        ("embedder", {"encoder_task": "text_embedder"}, TextEmbedder, 7),
        (
            "embedder",
            {"encoder_task": "feature_extractor"},
            FeatureExtractor,
            12,
        ),
    ):
        task = load_any_task(tmp_path / name, **arguments)
        assert type(task) is kind
        assert task.preprocess.seq_length == length
    with pytest.raises(ValueError, match="Received: an encoder without"):
        load_task(tmp_path / "encoder")
    with pytest.raises(ValueError, match="is fine-tuned for TextRegressor"):
        load_any_task(tmp_path / "regressor", "text_embedder")


@pytest.mark.parametrize("name", ["FillMask", "load_task"])
def test_a_task_that_is_not_known_is_named(bert, tmp_path, name):
    TextRegressor(bert).save(tmp_path)
    path = tmp_path / "task.json"
    values = json.loads(path.read_text())
    # The manifest contains the checksum of the file.
    (tmp_path / "manifest.json").unlink()
    path.write_text(json.dumps({**values, "task": name}))
    with pytest.raises(ValueError, match=f"Received: .*{name!r}"):
        load_task(tmp_path)
