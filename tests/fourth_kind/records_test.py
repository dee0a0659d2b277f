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
def create(text_file, vocab_file, tmp_path):
    def create(name, text_options=None, num_workers=1, **options):
        values = {"max_seq_length": 16, "max_predictions_per_seq": 3}
        paths = [str(tmp_path / f"{name}-{part}") for part in range(2)]
        create_data(
            open_sources([text_file]),
            paths,
            text_options or TextOptions(vocab_file),
            DataOptions(**{**values, "dupe_factor": 2, **options}),
            num_workers=num_workers,
        )
        return paths

    return create


def _read(paths, vocabulary):
    parts = [
        v for path in paths for v in read_checked_records(path, vocabulary)
    ]
    return {
        name: np.concatenate([part[name] for part in parts])
        for name in parts[0]
    }


def test_records_have_its_special_tokens(create, settings):
    paths = create("static", max_seq_length=40)
    values = _read(paths, settings.vocabulary)
    ids, mask = values["input_ids"], values["input_mask"].astype(bool)
    assert (ids[~mask] == _PAD).all() and (~mask).any()
    assert (ids[:, 0] == _CLS).all()
    ends = mask.sum(axis=1) - 1
    assert (ids[np.arange(len(ids)), ends] == _SEP).all()
    originals = values["masked_lm_ids"][values["masked_lm_weights"] == 1]
    assert (originals > 3).all()


def test_a_run_of_another_tokenizer_is_not_gone_on_with(
    create, settings, vocab_file
):
    create("static")
    other = dataclasses.replace(settings, is_strict=False)
    other.write(pathlib.Path(vocab_file).parent)
    with pytest.raises(ValueError, match="is_strict was True, now False"):
        create("static")


@pytest.fixture
def recipe(create, config, vocab_file, tmp_path):
    config.to_json(tmp_path / "config.json")

    def recipe(masking="static", **changes):
        values = {
            "input_file": create(f"{masking}-run", masking=masking),
            "vocab_file": vocab_file,
            "bert_config_file": str(tmp_path / "config.json"),
            "output_dir": str(tmp_path / "run"),
            "objective": "mlm",
            "num_train_steps": 2,
            "num_warmup_steps": 1,
            "train_batch_size": 4,
            "precision": "float32",
        }
        return PretrainingRecipe(**{**values, **changes})

    return recipe


def test_records_of_another_tokenizer_are_refused(
    recipe, settings, vocab_file, tmp_path
):
    made = recipe()
    other = dataclasses.replace(settings, is_strict=False)
    other.write(pathlib.Path(vocab_file).parent)
    with pytest.raises(
        ValueError,
        match="says tokenizer=.*is_strict': True",
    ):
        plan_pretraining(made)
    Vocabulary([*SPECIAL_TOKENS, "a"]).save(tmp_path / "vocab.txt")
    made = dataclasses.replace(made, vocab_file=str(tmp_path / "vocab.txt"))
    with pytest.raises(ValueError, match="says vocabulary="):
        plan_pretraining(made)
