import json

import numpy as np
import pytest

from keras_bert.checkpoints import CheckpointError
from keras_bert.tasks import TextEmbedder
from tests.tasks.embeddings.conftest import write_json

_TEXTS = ["the dog eats meat", "a cat", "the bird and the cat eats seeds."]


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_pooling_and_normalization_are_those_of_the_files(
    expected, sentence_directory
):
    embedder = TextEmbedder.from_pretrained(sentence_directory())
    assert (embedder.pooling, embedder.normalize) == ("mean", True)
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), _unit(expected(_TEXTS)), atol=1e-5
    )


@pytest.mark.parametrize(
    ("key", "pool"),
    [
        ("pooling_mode_cls_token", lambda states: states[0]),
        ("pooling_mode_max_tokens", lambda states: states.max(0)),
    ],
)
def test_older_files_name_the_pooling_by_a_key(
    expected, sentence_directory, key, pool
):
    pooling = {"pooling_mode_mean_tokens": False, key: True}
    embedder = TextEmbedder.from_pretrained(
        sentence_directory("Pooling", pooling)
    )
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), expected(_TEXTS, pool), atol=1e-5
    )


@pytest.mark.parametrize("format", ["keras", "hf"])
@pytest.mark.parametrize(
    ("values", "names"),
    [
        (
            {"pooling_mode_lasttoken": True, "pooling_mode_cls_token": True},
            ["cls", "mean", "lasttoken"],
        ),
        ({"pooling_mode": ["lasttoken", "cls"]}, ["lasttoken", "cls"]),
        ({"pooling_mode": ["weightedmean"]}, "weightedmean"),
    ],
)
def test_several_poolings_are_read_and_written(
    sentence_directory, tmp_path, values, names, format
):
    embedder = TextEmbedder.from_pretrained(
        sentence_directory("Pooling", values)
    )
    assert embedder.pooling == names
    embedder.save(tmp_path / "saved", format=format)
    again = TextEmbedder.from_pretrained(tmp_path / "saved")
    assert again.pooling == names
    np.testing.assert_array_equal(again.embed(_TEXTS), embedder.embed(_TEXTS))


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_dimension_and_similarity_are_read_and_written(
    expected, sentence_directory, tmp_path, format
):
    directory = sentence_directory("Pooling")
    settings = {"truncate_dim": 5, "similarity_fn_name": "dot"}
    write_json(directory / "config_sentence_transformers.json", settings)
    embedder = TextEmbedder.from_pretrained(directory)
    embedder.save(tmp_path / "saved", format=format)
    for read in embedder, TextEmbedder.from_pretrained(tmp_path / "saved"):
        assert (read.dim, read.similarity) == (5, "dot")
        np.testing.assert_allclose(
            read.embed(_TEXTS), expected(_TEXTS)[:, :5], atol=1e-5
        )
    whole = TextEmbedder.from_pretrained(directory, truncate_dim=None)
    assert whole.dim == 16
    settings["similarity_fn_name"] = "manhattan"
    write_json(directory / "config_sentence_transformers.json", settings)
    with pytest.raises(ValueError, match="`similarity` must be .*'manhattan'"):
        TextEmbedder.from_pretrained(directory)
    TextEmbedder.from_pretrained(directory, similarity="dot")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (
            "config_sentence_transformers.json",
            {"matryoshka": 3},
            "`matryoshka` must be absent. Received: 3",
        ),
        (
            "sentence_bert_config.json",
            {"transformer_task": "fill-mask"},
            "must be feature-extraction. Received: 'fill-mask'",
        ),
        (
            "sentence_bert_config.json",
            {"query_length": 32},
            "`query_length` must be absent. Received: 32",
        ),
        (
            "1_Pooling/../2_Normalize/config.json",
            {"module_input_name": "token_embeddings"},
            "must be sentence_embedding. Received: 'token_embeddings'",
        ),
    ],
)
def test_settings_without_an_effect_are_errors(
    sentence_directory, name, values, message
):
    directory = sentence_directory("Pooling Normalize")
    path = (directory / name).resolve()
    path.parent.mkdir(exist_ok=True)
    write_json(path, values)
    with pytest.raises(CheckpointError, match=f"{path.name}: .*{message}"):
        TextEmbedder.from_pretrained(directory)
    write_json(path, {key: None for key in values})
    if "Normalize" not in name and "task" not in [*values][0]:
        TextEmbedder.from_pretrained(directory)


def _write_routes(directory, file, types):
    """Move the Dense of a directory to the route "q" of a Router."""
    folder = directory / "2_Router"
    folder.mkdir()
    (directory / "2_Dense").rename(folder / "q_0_Dense")
    (folder / "d_0").mkdir()
    kind = f"sentence_transformers.{types}"
    write_json(
        folder / file,
        {
            "types": {"q_0_Dense": f"{kind}.Dense", "d_0": f"{kind}.Normalize"},
            "structure": {"q": ["q_0_Dense"], "d": ["d_0"]},
            "parameters": {"allow_empty_key": True},
        },
    )
    modules = json.loads((directory / "modules.json").read_text())
    name = "Router" if file == "router_config.json" else "Asym"
    modules[2] = {"path": "2_Router", "type": f"{kind}.{name}"}
    write_json(directory / "modules.json", modules)
    return directory


@pytest.mark.parametrize(
    ("file", "types"),
    [("router_config.json", "base.modules.x"), ("config.json", "models")],
)
def test_a_route_is_read_as_an_embedder(
    expected, sentence_directory, linear, file, types
):
    directory = _write_routes(
        sentence_directory("Pooling Dense Normalize"), file, types
    )
    found = {
        route: TextEmbedder.from_pretrained(directory, route=route)
        for route in ("q", "d")
    }
    means = expected(_TEXTS)
    vectors = np.tanh(means @ linear["linear.weight"].T + linear["linear.bias"])
    for route, expected_vectors in ("q", vectors), ("d", means):
        np.testing.assert_allclose(
            found[route].embed(_TEXTS), _unit(expected_vectors), atol=1e-5
        )
    for route in None, "x":
        with pytest.raises(
            CheckpointError, match=f"must be one of q, d. .*route={route!r}"
        ):
            TextEmbedder.from_pretrained(directory, route=route)


def test_a_route_needs_a_router(bert, sentence_directory, tmp_path):
    TextEmbedder(bert).save(tmp_path / "own")
    for directory in sentence_directory(), tmp_path / "own":
        with pytest.raises(CheckpointError, match="a Router .*route='q'"):
            TextEmbedder.from_pretrained(directory, route="q")


def test_newer_files_name_pooling_size_and_classes_otherwise(
    expected, sentence_directory
):
    base = "sentence_transformers.base.modules"
    directory = sentence_directory(f"Pooling {base}.normalize.Normalize")
    (directory / "1_Pooling/config.json").write_text(
        json.dumps({"embedding_dimension": 16, "pooling_mode": "max"})
    )
    embedder = TextEmbedder.from_pretrained(directory)
    vectors = expected(_TEXTS, lambda states: states.max(0))
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), _unit(vectors), atol=1e-5
    )


def test_dense_layers_come_with_weights_and_activation(
    expected, sentence_directory, linear
):
    directory = sentence_directory("Pooling Dense Normalize")
    embedder = TextEmbedder.from_pretrained(directory)
    assert embedder.dim == 3
    vectors = expected(_TEXTS) @ linear["linear.weight"].T
    vectors = _unit(np.tanh(vectors + linear["linear.bias"]))
    np.testing.assert_allclose(embedder.embed(_TEXTS), vectors, atol=1e-5)


def test_the_length_is_that_of_the_files(expected, sentence_directory):
    directory = sentence_directory("Pooling", settings={"max_seq_length": 5})
    embedder = TextEmbedder.from_pretrained(directory)
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), expected(_TEXTS, seq_length=5), atol=1e-5
    )


@pytest.mark.parametrize(("limit", "length"), [(6, 6), (10**30, 12)])
def test_or_else_that_of_the_tokenizer_within_the_models_limit(
    sentence_directory, limit, length
):
    directory = sentence_directory("Pooling")
    path = directory / "tokenizer_config.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, "model_max_length": limit}))
    (directory / "manifest.json").unlink()
    embedder = TextEmbedder.from_pretrained(directory)
    assert embedder.preprocess.seq_length == length


def test_a_cased_tokenizer_may_get_lower_cased_texts(sentence_directory):
    directory = sentence_directory("Pooling", settings={"do_lower_case": True})
    path = directory / "tokenizer_config.json"
    values = json.loads(path.read_text())
    values |= {"do_lower_case": False, "strip_accents": False}
    path.write_text(json.dumps(values))
    (directory / "manifest.json").unlink()
    embedder = TextEmbedder.from_pretrained(directory)
    np.testing.assert_array_equal(
        embedder.embed(["THE Dog"]), embedder.embed(["the dog"])
    )
    assert embedder.preprocess.tokenizer.strip_accents is False
    unknown = embedder.preprocess.tokenizer.vocabulary.id_of("[UNK]")
    ids = embedder.preprocess(["dòg"])["input_ids"].numpy()
    assert ids[0, 1] == unknown


def test_an_argument_goes_before_the_files_and_the_log_says_so(
    expected, sentence_directory, caplog
):
    embedder = TextEmbedder.from_pretrained(
        sentence_directory(settings={"max_seq_length": 8}),
        pooling="max",
        normalize=False,
        seq_length=8,
    )
    vectors = expected(_TEXTS, lambda states: states.max(0), seq_length=8)
    np.testing.assert_allclose(embedder.embed(_TEXTS), vectors, atol=1e-5)
    messages = "\n".join(record.getMessage() for record in caplog.records)
    assert "`pooling` is 'max' as requested" in messages
    assert "`normalize` is False as requested" in messages
    assert "`seq_length` is" not in messages


def test_an_encoder_in_a_folder_is_found(expected, sentence_directory):
    directory = sentence_directory("Pooling")
    folder = directory / "0_Transformer"
    folder.mkdir()
    modules = json.loads((directory / "modules.json").read_text())
    modules[0]["path"] = "0_Transformer"
    (directory / "modules.json").write_text(json.dumps(modules))
    for path in directory.iterdir():
        if path.is_file() and path.name != "modules.json":
            path.rename(folder / path.name)
    embedder = TextEmbedder.from_pretrained(directory)
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), expected(_TEXTS), atol=1e-5
    )


_LSTM = "Pooling sentence_transformers.models.LSTM"


@pytest.mark.parametrize(
    ("kinds", "changes", "message"),
    [
        (_LSTM, {}, "all of sentence_transformers. Received: .*LSTM\\."),
        ("Pooling my_code.Dense", {}, "Received: .*, my_code.Dense\\."),
        ("", {}, "then any Dense.*Received: Transformer\\."),
        ("Pooling Normalize Dense", {}, "Transformer, Pooling, Normalize, De"),
        ("Pooling Pooling", {}, "Received: Transformer, Pooling, Pooling"),
        ("Pooling", {"pooling_mode": "mode"}, "Received: mode"),
        ("Pooling", {"pooling_mode": ["cls", "x"]}, "cls and x"),
        ("Pooling", {"pooling_mode": []}, "must be of cls, max"),
        ("Pooling", {"weights": [1.0]}, r"`weights` must be absent.*\[1.0\]"),
        ("Pooling", {"word_embedding_dimension": 8}, "size, 16. Received: 8"),
        ("Dense", {"in_features": 8}, "`in_features` must be 16. Received: 8"),
        ("Dense", {"out_features": None}, r"must have .*\(None, 16\)"),
        (
            "Dense",
            {"out_features": 4},
            r"\(4, 16\).*the shapes: .*\(3, 16\)",
        ),
        ("Dense", {"use_residual": True}, "`use_residual` must be False"),
        ("Dense", {"module_input_name": "x"}, "sentence_embedding.*'x'"),
        ("Dense", {"rank": 3}, "`rank` must be absent"),
        ("Dense", {"activation_function": "os.system"}, "ed: 'os.system'"),
        ("Dense", {"bias": False}, "Received the shapes: .*linear.bias"),
    ],
)
def test_other_modules_are_an_error(
    sentence_directory, kinds, changes, message
):
    if kinds == "Dense":
        directory = sentence_directory("Pooling Dense", dense=changes)
    else:
        directory = sentence_directory(kinds, changes)
    with pytest.raises(CheckpointError, match=message):
        TextEmbedder.from_pretrained(directory)


@pytest.mark.parametrize("content", ["{", "[3]", '[{"path": ""}]', "3"])
def test_a_list_of_modules_that_is_none_is_an_error(
    sentence_directory, content
):
    directory = sentence_directory()
    (directory / "modules.json").write_text(content)
    with pytest.raises(CheckpointError, match="must list modules"):
        TextEmbedder.from_pretrained(directory)


def test_a_missing_file_is_named(sentence_directory):
    directory = sentence_directory("Pooling Dense")
    (directory / "2_Dense/config.json").unlink()
    with pytest.raises(CheckpointError, match="2_Dense/config.json"):
        TextEmbedder.from_pretrained(directory)
