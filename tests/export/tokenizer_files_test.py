"""transformers reads the tokenizer files of an export as the task does."""

import dataclasses

import numpy as np
import pytest

from keras_bert import tasks
from keras_bert.export.onnx.id_directory import write_id_directory
from tests.export.conftest import FAMILIES

_TEXTS = [
    *("word1 word2", "", " word3  word4", "word5 [SEP]", "word6 word7 " * 10),
]
# sentence-transformers reads static embeddings with the package tokenizers.
_READ = [name for name in FAMILIES if name != "static-embeddings"]


@pytest.mark.parity
@pytest.mark.parametrize("family", [x for x in _READ if " " not in x])
@pytest.mark.parametrize(
    "truncation, in_text", [("head", False), ("tail", False), ("head", True)]
)
def test_transformers_tokenizes_as_the_task(
    make_family, tmp_path, family, truncation, in_text
):
    import transformers

    model = make_family(family)
    settings = dataclasses.replace(
        model.tokenizer_settings, special_tokens_in_text=in_text
    )
    task = tasks.TextClassifier(
        model.with_tokenizer(settings),
        labels=["no", "yes"],
        seq_length=12,
        truncation=truncation,
    )
    inputs = [x for x in task.input_names if x != "task_ids"]
    names = {"input_mask": "attention_mask", "segment_ids": "token_type_ids"}
    write_id_directory(
        task,
        tmp_path / "out",
        lambda folder: None,
        False,
        "hugging_face",
        inputs=[names.get(name, name) for name in inputs],
    )
    read = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    roles = settings.vocabulary.roles.values()
    texts = [*_TEXTS, *(f"word8 {role}" for role in roles)]
    rows = read(texts, padding=True, truncation=True, return_tensors="np")
    assert read.model_max_length == 12
    assert sorted(rows) == sorted(names.get(name, name) for name in inputs)
    own = task.preprocess(texts)
    for name in inputs:
        found = rows[names.get(name, name)]
        np.testing.assert_array_equal(found, own[name].numpy(), name)
