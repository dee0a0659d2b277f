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

    vectors = []
    for found, number in ((None, 1), (True, 2)):
        embedder = TextEmbedder.from_pretrained(
            tmp_path / "plain", special_tokens_in_text=found
        )
        assert num_sep(embedder) == number
        vectors.append(embedder.embed(text))
    assert np.abs(vectors[1] - vectors[0]).max() > 0.01
    classifier = TextClassifier.from_pretrained(
        tmp_path / "plain", labels=["x", "y"], special_tokens_in_text=True
    )
    classifier.save(tmp_path / "found", format=format)
    again = load_task(tmp_path / "found")
    assert num_sep(classifier) == num_sep(again) == 2
    np.testing.assert_allclose(
        again.probabilities(text), classifier.probabilities(text), atol=1e-6
    )
    plain = load_task(tmp_path / "found", special_tokens_in_text=False)
    assert num_sep(plain) == 1


@pytest.mark.smoke("keras")
@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_regression_of_two_outputs_has_two_numbers(bert, tmp_path, format):
    classifier = TextClassifier(bert, labels=["x", "y"])
    classifier.save(tmp_path / "one", format="hf")
    for name in ("manifest.json", "task.json"):
        (tmp_path / "one" / name).unlink()
    config = json.loads((tmp_path / "one" / "config.json").read_text())
    config["problem_type"] = "regression"
    (tmp_path / "one" / "config.json").write_text(json.dumps(config))
    regressor = load_task(tmp_path / "one")
    assert isinstance(regressor, TextRegressor)
    regressor.save(tmp_path / "two", format=format)
    texts = ["the dog", "a cat sees"]
    expected = classifier._logits(classifier._encode(texts))
    for read in (regressor, load_task(tmp_path / "two")):
        np.testing.assert_allclose(read.predict(texts), expected, atol=1e-6)
    scores = regressor.evaluate(texts, expected)
    assert scores["pearson"] > 0.99 and scores["mean_squared_error"] < 1e-9
    (score,) = regressor.predict_texts(tf.constant(texts[:1]))["score"].numpy()
    np.testing.assert_allclose(score, expected[0], atol=1e-6)
    regressor.fit(texts, [[1, 2], [3, 4]], epochs=1, verbose=0)
    with pytest.raises(
        ValueError, match="list of 2 finite numbers.*1.5 at index 0"
    ):
        regressor.fit(texts, [1.5, 2.5], verbose=0)


def test_an_encoder_is_of_no_task(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    with pytest.raises(ValueError, match="Received: an encoder without"):
        load_task(tmp_path)


def test_an_encoder_may_be_something_else(bert, tmp_path):
    save_pretrained(bert, tmp_path / "encoder")
    TextRegressor(bert).save(tmp_path / "regressor")
    tasks = [
        load_any_task(tmp_path / "encoder", seq_length=7),
        load_any_task(tmp_path / "encoder", default="feature_extractor"),
        load_any_task(tmp_path / "encoder", "text_embedder"),
        load_any_task(tmp_path / "regressor", seq_length=9),
    ]
    assert [type(task) for task in tasks] == [
        FillMask,
        FeatureExtractor,
        TextEmbedder,
        TextRegressor,
    ]
    assert [task.preprocess.seq_length for task in tasks] == [7, 12, 12, 9]
    with pytest.raises(ValueError, match="is fine-tuned for TextRegressor"):
        load_any_task(tmp_path / "regressor", "text_embedder")


@pytest.mark.parametrize("name", ["ImageClassifier", "FillMask", "load_task"])
def test_a_task_that_is_not_known_is_named(bert, tmp_path, name):
    TextRegressor(bert).save(tmp_path)
    path = tmp_path / "task.json"
    values = json.loads(path.read_text())
    # The manifest contains the checksum of the file.
    (tmp_path / "manifest.json").unlink()
    path.write_text(json.dumps({**values, "task": name}))
    with pytest.raises(ValueError, match=f"Received: .*{name!r}"):
        load_task(tmp_path)
