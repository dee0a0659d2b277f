"""ModernBERT from text to a filled mask, with a published tokenizer format."""

import json

import numpy as np
import pytest

import keras_bert
from keras_bert.checkpoints import from_pretrained
from keras_bert.models import Backbone
from keras_bert.models.families.modernbert.config import ModernBertConfig
from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.job import PretrainingRecipe
from keras_bert.pretraining.job import plan_pretraining
from keras_bert.pretraining.job import run_plan
from keras_bert.text.byte_pair.settings import BytePairSettings

pytestmark = pytest.mark.large

_SPECIAL = ("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")


@pytest.fixture(scope="module")
def folder(make_settings, tmp_path_factory):
    """Write a tokenizer.json like ModernBERT's, a config, text and records."""
    path = tmp_path_factory.mktemp("modernbert")
    tokens = [*make_settings("byte_bpe").vocabulary.tokens[5:], "  "]
    added = [_added("  ", len(tokens) - 1, special=False)]
    added += [_added(x, n) for n, x in enumerate(_SPECIAL, len(tokens))]
    merges = [" ".join(x) for x in make_settings("byte_bpe").merges]
    values = {
        "added_tokens": added,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "model": {
            "type": "BPE",
            "vocab": {x: n for n, x in enumerate(tokens)},
            "merges": merges,
        },
    }
    (path / "tokenizer.json").write_text(json.dumps(values))
    ModernBertConfig(
        len(tokens) + len(_SPECIAL),
        hidden_size=8,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=32,
        local_attention=4,
        mlp_dropout=0.1,
    ).to_json(path / "config.json")
    random = np.random.default_rng(0)
    documents = [
        " ".join(f"word{n}" for n in random.integers(0, 10, length))
        for length in random.integers(1, 4, 90)
    ]
    (path / "text.txt").write_text("\n\n".join(documents))
    create_data(
        open_sources([str(path / "text.txt")]),
        [str(path / "train.tfrecord")],
        TextOptions(str(path / "tokenizer.json")),
        DataOptions(
            max_seq_length=32,
            dupe_factor=1,
            masking="dynamic",
            packing="best_fit",
        ),
    )
    return path


def _added(text, number, special=True):
    return {
        "id": number,
        "content": text,
        "single_word": False,
        "lstrip": text == "[MASK]",
        "rstrip": False,
        "normalized": not special,
        "special": special,
    }


def _train(folder, output_dir):
    recipe = PretrainingRecipe(
        input_file=[str(folder / "train.tfrecord")],
        eval_file=[str(folder / "train.tfrecord")],
        vocab_file=str(folder / "tokenizer.json"),
        bert_config_file=str(folder / "config.json"),
        output_dir=str(output_dir),
        objective="mlm",
        masked_lm_prob=0.3,
        max_predictions_per_seq=10,
        mask_special_tokens=True,
        num_train_steps=6,
        num_warmup_steps=1,
        optimizer="stable_adamw",
        learning_rate_decay="wsd",
        log_steps=1,
        save_checkpoints_steps=2,
        train_batch_size=4,
        precision="float32",
    )
    run_plan(plan_pretraining(recipe))


def _losses(output_dir):
    lines = (output_dir / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    return [x["mlm_loss"] for x in points if x["split"] == "train"]


@pytest.mark.exhaustive
def test_what_is_learned_from_rows_of_several_texts_fills_masks(
    folder, tmp_path, monkeypatch, killed
):
    """Interrupt the run after step 3 and resume it."""
    built = []
    packed_form = Backbone.packed
    monkeypatch.setattr(
        Backbone, "packed", lambda x: built.append(x) or packed_form(x)
    )
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    _train(folder, whole)
    killed(_train, folder, stopped)
    assert not (stopped / "model.safetensors").exists()
    _train(folder, stopped)
    assert len(built) == 3
    name = "model.safetensors"
    assert (whole / name).read_bytes() == (stopped / name).read_bytes()
    assert _losses(whole) == _losses(stopped)
    assert len(_losses(whole)) == 6
    bert = from_pretrained(whole)
    assert bert.parts == {"masked_lm_head"}
    settings, again = BytePairSettings.read(folder), bert.tokenizer_settings
    assert again.normalizer == "NFC"
    assert {*again.added_tokens} == {*settings.added_tokens}
    fill_mask = keras_bert.FillMask.from_pretrained(whole)
    (answers,) = fill_mask("word1 word2 [MASK]  word3")
    assert len(answers) == 5
    assert answers[0]["probability"] >= answers[1]["probability"] > 0
