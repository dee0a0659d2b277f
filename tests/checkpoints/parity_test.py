"""Files that transformers reads.

make test-parity
"""

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from tests import tiny

pytestmark = pytest.mark.parity


# The heads of tasks are compared in `families/published_test.py`.
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
def test_a_relative_is_read_by_transformers_equal(
    name, make_settings_of, tmp_path
):
    import torch
    import transformers

    model_type = getattr(transformers, name).config_class.model_type
    settings = make_settings_of(model_type)
    size = len(settings.vocabulary)
    config = tiny.config(model_type, V=size, **_FORMS.get(model_type, {}))
    ours = PretrainedModel.from_config(config, settings, _RELATIVES[name])
    random = np.random.default_rng(0)
    for weight in ours.weights.values():
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    save_pretrained(ours, tmp_path, format="hf")
    theirs, info = getattr(transformers, name).from_pretrained(
        tmp_path, output_loading_info=True, attn_implementation="eager"
    )
    assert not any(info.values()), info
    ids = np.array([[2, 7, 9, 4, 3]])
    with torch.inference_mode():
        answer = theirs.eval()(
            input_ids=torch.from_numpy(ids), output_hidden_states=True
        )
    inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
    inputs["segment_ids"] = np.zeros_like(ids)
    inputs = {name: inputs[name] for name in ours.encoder.input}
    for index, states in ours.backbone.states_model()(inputs).items():
        expected = answer.hidden_states[int(index)].numpy()
        np.testing.assert_allclose(states, expected, rtol=0, atol=1e-5)
