"""A directory in the format of sentence-transformers, with a tiny BERT."""

import json

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints.arrays.safetensors_file import write_weights


@pytest.fixture
def sentence_directory(bert, tmp_path):
    """Return a function that writes a directory and returns its path.

    Args of the function:
        kinds: str, the modules after the Transformer, separated by spaces.
        pooling: dict, contents of its config.json.
        settings: dict, contents of sentence_bert_config.json.
    """

    def write(kinds="Pooling Normalize", pooling=None, settings=None):
        directory = tmp_path / "published"
        save_pretrained(bert, directory, format="hf")
        modules = []
        for index, kind in enumerate(["Transformer", *kinds.split()]):
            folder = "" if index == 0 else f"{index}_{kind.rpartition('.')[2]}"
            if kind in ("Pooling", "Dense"):
                values = pooling or {"pooling_mode_mean_tokens": True}
                values = {**values, "word_embedding_dimension": 16}
                values = _DENSE if kind == "Dense" else values
                (directory / folder).mkdir()
                write_json(directory / folder / "config.json", values)
            if kind == "Dense":
                path = directory / folder / "model.safetensors"
                write_weights(path, linear_arrays())
            if "." not in kind:
                kind = f"sentence_transformers.models.{kind}"
            modules.append({"idx": index, "path": folder, "type": kind})
        write_json(directory / "modules.json", modules)
        if settings is not None:
            write_json(directory / "sentence_bert_config.json", settings)
        return directory

    return write


def write_json(path, values):
    path.write_text(json.dumps(values))


def change_json(path, **changes):
    """Change values of a JSON file, which may be missing."""
    values = json.loads(path.read_text()) if path.is_file() else {}
    write_json(path, {**values, **changes})


def linear_arrays():
    """Return a weight (3, 16), as in PyTorch, and a bias."""
    random = np.random.default_rng(5)
    return {
        "linear.weight": random.normal(size=(3, 16)).astype("float32"),
        "linear.bias": random.normal(size=3).astype("float32"),
    }


_DENSE = {
    "in_features": 16,
    "out_features": 3,
    "bias": True,
    "activation_function": "torch.nn.modules.activation.Tanh",
}


@pytest.fixture
def expected(bert):
    """Return a function from texts to vectors computed one by one."""

    def expected(texts, pool=lambda x: x.mean(0), left_out=0, seq_length=12):
        vectors = []
        for text in texts:
            (words,) = bert.tokenizer([text]).to_list()
            ids = np.array([[2, *words[: seq_length - 2], 3]])
            inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
            inputs["segment_ids"] = np.zeros_like(ids)
            states = np.asarray(bert.encoder(inputs)["sequence_output"][0])
            vectors.append(pool(states[left_out:]))
        return np.stack(vectors)

    return expected
