import fnmatch
import sys
import types

import pytest

from keras_bert import from_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.hub import download


@pytest.fixture
def hub(monkeypatch):
    """Return a function that replaces the Hub by one with these files."""

    def install(directory, files, error=None):
        def snapshot_download(name, allow_patterns):
            if error:
                raise error
            asked.append((name, allow_patterns))
            for file in files:
                if file in allow_patterns:
                    (directory / file).touch()
            return str(directory)

        asked = []
        module = types.ModuleType("huggingface_hub")
        module.snapshot_download = snapshot_download
        monkeypatch.setitem(sys.modules, "huggingface_hub", module)
        return asked

    return install


def test_safetensors_are_preferred(hub, tmp_path):
    asked = hub(tmp_path, ["config.json", "model*.safetensors"])
    (tmp_path / "model.safetensors").touch()
    assert download("google/bert_tiny") == tmp_path
    ((name, patterns),) = asked
    assert name == "google/bert_tiny"
    assert {"config.json", "vocab.txt", "tokenizer.json"} < {*patterns}
    assert {"vocab.json", "merges.txt", "spiece.model"} < {*patterns}
    assert "pytorch_model*.bin" not in patterns
    for file in (
        "config_sentence_transformers.json",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
        "2_Dense/model.safetensors",
    ):
        assert any(fnmatch.fnmatch(file, pattern) for pattern in patterns)


def test_a_pickle_is_fetched_where_there_is_nothing_else(hub, tmp_path):
    asked = hub(tmp_path, ["config.json", "pytorch_model.bin.index.json"])
    assert download("bert-base-uncased") == tmp_path
    assert len(asked) == 2
    assert "pytorch_model*.bin" in asked[1][1]


@pytest.mark.parametrize("error", [OSError, ValueError])
def test_what_the_hub_says_is_passed_on(error, hub, tmp_path):
    hub(tmp_path, [], error("Repository not found.\nCheck the name."))
    with pytest.raises(CheckpointError, match="base-uncased.*not found.$"):
        from_pretrained("bert-base-uncased")


@pytest.mark.parametrize(
    "name, message",
    [
        ("/no/such/dir", "No directory"),
        ("a/b/c", "No directory"),
        ("a b", "No directory"),
        ("..", "checkpoint directory"),
        ("runs/small", "No directory 'runs/small'"),  # "runs" is there.
    ],
)
def test_what_is_no_name_is_not_asked_for(
    name, message, hub, tmp_path, monkeypatch
):
    asked = hub(tmp_path, [])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    with pytest.raises(CheckpointError, match=message):
        from_pretrained(name)
    assert not asked
