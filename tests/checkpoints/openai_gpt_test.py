"""Files that are specific to GPT-1."""

import json

import numpy as np
import pytest

import keras_bert
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from tests.families.golden import Golden
from tests.families.golden import assert_equal_weights


@pytest.fixture(scope="module")
def golden(make_settings_of):
    return Golden("openai_gpt", make_settings_of)


def test_a_model_of_before_is_read(golden, model, tmp_path):
    """Read files without a prefix and with the triangular masks."""
    arrays = {
        name.removeprefix("transformer."): array
        for name, array in golden.weights.items()
    }
    triangle = np.tril(np.ones((1, 1, 20, 20), np.float32))
    arrays |= {f"h.{number}.attn.bias": triangle for number in range(3)}
    again = from_pretrained(golden.write(tmp_path / "hf", arrays))
    assert_equal_weights(again, model)


def test_a_chooser_is_a_model_with_two_heads(model, tmp_path):
    chooser = keras_bert.MultipleChoice(model)
    save_pretrained(chooser.pretrained, tmp_path, format="hf")
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["OpenAIGPTDoubleHeadsModel"]
    shapes = SafetensorsFile(tmp_path / "model.safetensors").shapes
    assert shapes["multiple_choice_head.summary.weight"] == (1, 16)
    assert shapes["transformer.tokens_embed.weight"] == (43, 16)
    # transformers writes neither of these.
    for name in ("task.json", "manifest.json"):
        (tmp_path / name).unlink()
    again = keras_bert.MultipleChoice.from_pretrained(tmp_path)
    assert not again._starts_random
    questions = [("word1", ["word2 word3", "word4"])]
    np.testing.assert_array_equal(
        again.probabilities(questions), chooser.probabilities(questions)
    )


def test_labels_are_refused_in_files_of_transformers(golden, model, tmp_path):
    message = "does not support GPT-1 with a classifier"
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    with pytest.raises(ValueError, match=message):
        save_pretrained(classifier.pretrained, tmp_path / "own", format="hf")
    name = "OpenAIGPTForSequenceClassification"
    directory = golden.write(tmp_path / "hf", architectures=[name])
    with pytest.raises(ValueError, match=message):
        from_pretrained(directory)
