import json

import numpy as np
import pytest

from keras_bert.checkpoints import CheckpointError
from keras_bert.tasks import TextEmbedder
from tests.tasks.embeddings.conftest import change_json
from tests.tasks.embeddings.conftest import linear_arrays
from tests.tasks.embeddings.conftest import write_json

_TEXTS = ["the dog eats meat", "a cat", "the bird and the cat eats seeds."]


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


_OLD = {
    "pooling_mode_mean_tokens": True,
    "pooling_mode_lasttoken": True,
    "pooling_mode_cls_token": True,
}


@pytest.mark.parametrize(
    ("values", "names", "format"),
    [
        (_OLD, ["cls", "mean", "lasttoken"], "hf"),
        ({"pooling_mode": ["lasttoken", "cls"]}, ["lasttoken", "cls"], "hf"),
        ({"pooling_mode": ["max", "cls"]}, ["max", "cls"], "keras"),
        ({"pooling_mode": ["weightedmean"]}, "weightedmean", "hf"),
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
    expected, sentence_directory, file, types
):
    directory = _write_routes(
        sentence_directory("Pooling Dense Normalize"), file, types
    )
    found = {
        route: TextEmbedder.from_pretrained(directory, route=route)
        for route in ("q", "d")
    }
    means, linear = expected(_TEXTS), linear_arrays()
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


def test_newer_files_name_pooling_size_and_classes_otherwise(
    expected, sentence_directory
):
    base = "sentence_transformers.base.modules"
    directory = sentence_directory(f"Pooling {base}.normalize.Normalize")
    values = {"embedding_dimension": 16, "pooling_mode": "max"}
    write_json(directory / "1_Pooling/config.json", values)
    embedder = TextEmbedder.from_pretrained(directory)
    vectors = expected(_TEXTS, lambda states: states.max(0))
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), _unit(vectors), atol=1e-5
    )


@pytest.mark.parametrize(
    ("own", "limit", "length"),
    [(5, 6, 5), (None, 6, 6), (None, 10**30, 12), (13, 6, 12)],
)
def test_the_length_is_that_of_the_files_within_the_models_limit(
    sentence_directory, own, limit, length
):
    settings = {"max_seq_length": own} if own else None
    directory = sentence_directory("Pooling", settings=settings)
    change_json(directory / "tokenizer_config.json", model_max_length=limit)
    (directory / "manifest.json").unlink()
    embedder = TextEmbedder.from_pretrained(directory)
    assert embedder.preprocess.seq_length == length


def test_a_cased_tokenizer_may_get_lower_cased_texts(sentence_directory):
    directory = sentence_directory("Pooling", settings={"do_lower_case": True})
    changes = {"do_lower_case": False, "strip_accents": False}
    change_json(directory / "tokenizer_config.json", **changes)
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
    write_json(directory / "modules.json", modules)
    for path in directory.iterdir():
        if path.is_file() and path.name != "modules.json":
            path.rename(folder / path.name)
    embedder = TextEmbedder.from_pretrained(directory)
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), expected(_TEXTS), atol=1e-5
    )
