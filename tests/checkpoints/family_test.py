import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import weight_table
from keras_bert.checkpoints.family import config_from
from tests import tiny
from tests.processes import run_python


def test_a_config_without_a_family_is_of_bert():
    values = {"vocab_size": 9, "hidden_act": "gelu"}
    assert config_from(values).hidden_act == "gelu_tanh"


def test_configs_and_settings_are_read_without_keras(spiece_file):
    program = (
        "import sys\n"
        "from keras_bert.checkpoints.family import config_from\n"
        "from keras_bert.text.sentencepiece.settings import (\n"
        "    SentencePieceSettings\n"
        ")\n"
        "config_from({'model_type': 'bert', 'vocab_size': 9})\n"
        "SentencePieceSettings(sys.argv[1])\n"
        "heavy = {'keras', 'tensorflow', 'jax', 'sentencepiece'}\n"
        "assert not heavy & {*sys.modules}\n"
    )
    run_python("-c", program, spiece_file)


def test_a_part_that_the_family_lacks_is_an_error(make_settings):
    config = tiny.config("distilbert", V=40)
    with pytest.raises(
        ValueError,
        match="of DistilBERT: masked_lm_head. Received: pooler, nsp_head.$",
    ):
        PretrainedModel.from_config(
            config,
            make_settings("wordpiece"),
            ["pooler", "masked_lm_head", "nsp_head"],
        )


def test_a_row_of_a_weight_table_has_all_columns(tmp_path, monkeypatch):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/weights.txt").write_text("weight shape tf1\na/b V,H\n")
    monkeypatch.setattr(weight_table, "FAMILIES", tmp_path)
    with pytest.raises(ValueError, match="line 2, must .* Received: a/b V,H"):
        weight_table._rows("toy")
