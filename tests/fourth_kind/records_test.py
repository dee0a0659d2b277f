"""The data tool, its records and pre-training, with a fourth kind."""

import dataclasses
import pathlib

import numpy as np
import pytest

from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.job import PretrainingRecipe
from keras_bert.pretraining.job.plan import plan_pretraining
from keras_bert.pretraining.records.validation import read_checked_records
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_CLS, _PAD, _SEP = 0, 1, 2


@pytest.fixture
def records(text_file, vocab_file, tmp_path):
    """Return the path of records with static masking."""
    path = str(tmp_path / "records")
    create_data(
        open_sources([text_file]),
        [path],
        TextOptions(vocab_file),
        DataOptions(40, 3, dupe_factor=2),
    )
    return path


def test_records_have_its_special_tokens(records, settings):
    parts = [*read_checked_records(records, settings.vocabulary)]
    values = {
        name: np.concatenate([part[name] for part in parts])
        for name in parts[0]
    }
    ids, mask = values["input_ids"], values["input_mask"].astype(bool)
    assert (ids[~mask] == _PAD).all() and (~mask).any()
    assert (ids[:, 0] == _CLS).all()
    ends = mask.sum(axis=1) - 1
    assert (ids[np.arange(len(ids)), ends] == _SEP).all()
    originals = values["masked_lm_ids"][values["masked_lm_weights"] == 1]
    assert (originals > 3).all()


def test_records_of_another_tokenizer_are_refused(
    records, config, settings, vocab_file, tmp_path
):
    config.to_json(tmp_path / "config.json")
    recipe = PretrainingRecipe(
        input_file=[records],
        vocab_file=vocab_file,
        bert_config_file=str(tmp_path / "config.json"),
        output_dir=str(tmp_path / "run"),
        objective="mlm",
        num_train_steps=2,
        num_warmup_steps=1,
    )
    other = dataclasses.replace(settings, is_strict=False)
    other.write(pathlib.Path(vocab_file).parent)
    message = "says tokenizer=.*is_strict': True"
    with pytest.raises(ValueError, match=message):
        plan_pretraining(recipe)
    Vocabulary([*SPECIAL_TOKENS, "a"]).save(tmp_path / "vocab.txt")
    vocab_file = str(tmp_path / "vocab.txt")
    with pytest.raises(ValueError, match="says vocabulary="):
        plan_pretraining(dataclasses.replace(recipe, vocab_file=vocab_file))
