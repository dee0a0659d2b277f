import dataclasses
import pathlib

import pytest

from keras_bert import from_pretrained
from keras_bert import models
from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.config import BertConfig
from keras_bert.models.xlm_roberta import FAMILY
from keras_bert.models.xlm_roberta import XLMRobertaConfig

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_SIZES = {
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 16,
}


def read(size):
    return XLMRobertaConfig.from_json(_CONFIGS / f"xlm_roberta_{size}.json")


@pytest.mark.smoke("base")
@pytest.mark.parametrize(
    "size, encoder, with_head",
    [
        ("base", 278_043_648, 278_295_186),
        ("large", 559_890_432, 560_142_482),
    ],
)
def test_parameter_counts_are_those_of_transformers(
    num_parameters, size, encoder, with_head
):
    assert num_parameters(models.encoder, read(size)) == encoder
    assert num_parameters(models.pretrainer, read(size)) == with_head


def test_config_survives_its_own_file(check_config_file):
    check_config_file(XLMRobertaConfig(30, **_SIZES))
    assert read("base") == XLMRobertaConfig(250002)


def test_a_wrong_config_names_the_family(check_refused):
    values = {"vocab_size": 30, "model_type": "roberta"}
    message = "must be 'xlm-roberta' for XLM-RoBERTa.*'roberta'"
    check_refused(XLMRobertaConfig, values, message)
    values = dataclasses.asdict(XLMRobertaConfig(30)) | {"pad_token_id": -1}
    message = "`pad_token_id` must be at least 0.*=-1"
    check_refused(XLMRobertaConfig, values, message)


def test_pairs_are_laid_out_as_roberta_does():
    layout = [word for word, _ in FAMILY.template.layout(is_pair=True)]
    assert len(layout) == 6


def test_a_bert_may_have_its_tokenizer(make_settings_of, tmp_path):
    """As multilingual-e5-small has."""
    settings = make_settings_of("xlm-roberta")
    bert = PretrainedModel.from_config(BertConfig(40, **_SIZES), settings)
    for format in ("keras", "hf"):
        save_pretrained(bert, tmp_path / format, format=format)
        read = from_pretrained(tmp_path / format)
        assert read.tokenizer.vocabulary.tokens[:2] == ("<s>", "<pad>")
        ids = read.tokenizer(["word1 word2"]).to_list()
        assert ids == bert.tokenizer(["word1 word2"]).to_list()
