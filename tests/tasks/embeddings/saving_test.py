import json

import keras
import numpy as np
import pytest

from keras_bert import CheckpointError
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from tests.tasks.embeddings.conftest import change_json

_TEXTS = ["the dog eats meat", "a cat", "the bird and the cat eats seeds."]


@pytest.fixture
def embedder(bert):
    dense = [
        keras.layers.Dense(8, activation="gelu"),
        keras.layers.Dense(3, use_bias=False),
    ]
    return TextEmbedder(
        bert, seq_length=6, pooling="max", dense=dense, normalize=True
    )


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_saved_embedder_gives_the_same_vectors_until_it_is_replaced(
    bert, embedder, tmp_path, format
):
    embedder.save(tmp_path, format=format)
    again = TextEmbedder.from_pretrained(tmp_path)
    assert (again.pooling, again.normalize, again.dim) == ("max", True, 3)
    assert again.preprocess.seq_length == 6
    np.testing.assert_allclose(
        again.embed(_TEXTS), embedder.embed(_TEXTS), atol=1e-6
    )
    with pytest.raises(ValueError, match="exists"):
        embedder.save(tmp_path, format=format)
    other = TextEmbedder(bert, pooling="cls")
    other.save(tmp_path, format=format, overwrite=True)
    again = TextEmbedder.from_pretrained(tmp_path)
    assert (again.pooling, again.dense) == ("cls", [])
    for stale in ("dense.safetensors", "2_Dense", "3_Dense", "4_Normalize"):
        assert not (tmp_path / stale).exists(), stale


def test_last4_is_saved_in_our_own_form_only(make_bert, tmp_path):
    embedder = TextEmbedder(make_bert(num_hidden_layers=4), pooling="last4")
    embedder.save(tmp_path / "own")
    again = TextEmbedder.from_pretrained(tmp_path / "own")
    assert again.pooling == "last4"
    with pytest.raises(ValueError, match="cls, max, mean. .*'last4'"):
        embedder.save(tmp_path / "hf", format="hf")


def test_the_files_are_those_of_sentence_transformers(embedder, tmp_path):
    embedder.save(tmp_path, format="hf")

    def read(name):
        return json.loads((tmp_path / name).read_text())

    assert [(m["idx"], m["path"], m["type"]) for m in read("modules.json")] == [
        (0, "", "sentence_transformers.models.Transformer"),
        (1, "1_Pooling", "sentence_transformers.models.Pooling"),
        (2, "2_Dense", "sentence_transformers.models.Dense"),
        (3, "3_Dense", "sentence_transformers.models.Dense"),
        (4, "4_Normalize", "sentence_transformers.models.Normalize"),
    ]
    assert read("sentence_bert_config.json")["max_seq_length"] == 6
    pooling = read("1_Pooling/config.json")
    assert pooling["word_embedding_dimension"] == 16
    kept = [key for key, value in pooling.items() if value is True]
    assert kept == ["pooling_mode_max_tokens", "include_prompt"]
    assert read("2_Dense/config.json") == {
        "in_features": 16,
        "out_features": 8,
        "bias": True,
        "activation_function": "torch.nn.modules.activation.GELU",
    }
    assert read("3_Dense/config.json")["bias"] is False
    assert read("config.json")["architectures"] == ["BertModel"]
    assert not (tmp_path / "task.json").exists()


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_nothing_of_a_user_is_overwritten(embedder, tmp_path, format):
    name = {"keras": "dense.safetensors", "hf": "2_Dense/config.json"}[format]
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(ValueError, match=f"{name} exists"):
        embedder.save(tmp_path, format=format, overwrite=True)
    assert (tmp_path / name).read_text() == "mine"
    assert not (tmp_path / "model.safetensors").exists()


def test_an_encoder_in_its_place_is_no_embedder_any_more(
    bert, embedder, tmp_path
):
    embedder.save(tmp_path / "hf", format="hf")
    (tmp_path / "hf/1_Pooling/notes.txt").write_text("mine")
    save_pretrained(bert, tmp_path / "hf", format="hf", overwrite=True)
    assert not (tmp_path / "hf/modules.json").exists()
    kept = [path.name for path in (tmp_path / "hf/1_Pooling").iterdir()]
    assert kept == ["notes.txt"]
    assert TextEmbedder.from_pretrained(tmp_path / "hf").pooling == "mean"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pooling": None}, "must contain the key 'pooling'"),
        ({"dense": ["gelu", "os.system"]}, "activation 'os.system'"),
        ({"dense": ["gelu", "linear", "tanh"]}, "must contain 2/kernel"),
    ],
)
def test_settings_that_do_not_fit_are_an_error(
    embedder, tmp_path, changes, message
):
    embedder.save(tmp_path)
    (tmp_path / "manifest.json").unlink()
    settings = json.loads((tmp_path / "task.json").read_text())["settings"]
    settings = {**settings, **changes}
    settings = {k: x for k, x in settings.items() if x is not None}
    change_json(tmp_path / "task.json", settings=settings)
    with pytest.raises(CheckpointError, match=message):
        TextEmbedder.from_pretrained(tmp_path)


def test_a_saved_embedder_is_an_encoder_for_other_tasks(embedder, tmp_path):
    embedder.save(tmp_path)
    classifier = TextClassifier.from_pretrained(tmp_path, labels=["x", "y"])
    assert classifier.labels == ["x", "y"]
    task = from_pretrained(tmp_path).task
    assert (task.task, task.head) == ("TextEmbedder", None)


def test_a_fine_tuned_model_of_another_task_gives_its_encoder(bert, tmp_path):
    TextClassifier(bert, labels=["x", "y"]).save(tmp_path / "classifier")
    embedder = TextEmbedder.from_pretrained(tmp_path / "classifier")
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), TextEmbedder(bert).embed(_TEXTS), atol=1e-6
    )
    embedder.save(tmp_path / "embedder")
    assert from_pretrained(tmp_path / "embedder").task.task == "TextEmbedder"
    embedder.save(tmp_path / "hf", format="hf")
    assert from_pretrained(tmp_path / "hf").task is None
