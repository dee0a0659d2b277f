"""Files that transformers reads.

make test-parity
"""

import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from tests import tiny

pytestmark = pytest.mark.parity


# Outputs and heads of tasks are compared in `families/published_test.py`.
_RELATIVES = {
    "BertForPreTraining": ["pooler", "masked_lm_head", "nsp_head"],
    "BertForMaskedLM": ["masked_lm_head"],
    "BertModel": ["pooler"],
    "DistilBertForMaskedLM": ["masked_lm_head"],
    "RobertaForMaskedLM": ["masked_lm_head"],
    "XLMRobertaForMaskedLM": ["masked_lm_head"],
    "MPNetForMaskedLM": ["masked_lm_head"],
    "AlbertForPreTraining": ["pooler", "masked_lm_head", "sop_head"],
    "BigBirdForPreTraining": ["pooler", "masked_lm_head", "nsp_head"],
    "BigBirdForMaskedLM": ["pooler", "masked_lm_head"],
    "DebertaForMaskedLM": ["masked_lm_head"],
    "DebertaV2ForMaskedLM": ["masked_lm_head"],
    "ElectraForPreTraining": ["replaced_token_head"],
    "ElectraForMaskedLM": ["masked_lm_head"],
    "ErnieForPreTraining": ["pooler", "masked_lm_head", "nsp_head"],
    "LongformerForMaskedLM": ["masked_lm_head"],
    "XLNetModel": [],
    "ModernBertForMaskedLM": ["masked_lm_head"],
}
_FORMS = {
    "albert": {"L": 5, "num_hidden_groups": 2, "inner_group_num": 2},
    "deberta-v2": {"conv_kernel_size": 3},
    "ernie": {"use_task_id": True},
}


@pytest.mark.parametrize("name", [*_RELATIVES])
def test_transformers_finds_every_array_of_ours(
    name, make_settings_of, tmp_path
):
    import transformers

    model_type = getattr(transformers, name).config_class.model_type
    settings = make_settings_of(model_type)
    size = len(settings.vocabulary)
    config = tiny.config(model_type, V=size, **_FORMS.get(model_type, {}))
    ours = PretrainedModel.from_config(config, settings, _RELATIVES[name])
    save_pretrained(ours, tmp_path, format="hf")
    _, info = getattr(transformers, name).from_pretrained(
        tmp_path, output_loading_info=True
    )
    assert not any(info.values()), info
