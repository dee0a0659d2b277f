"""Writes what Hugging Face's RoBERTa answers, for the tests to compare with.

`hf_roberta.npz` comes from torch 2.13.0 and transformers 5.23.0:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_roberta_golden.py

Keys: as of `write_with_tasks`. As in the published files, the weights hold a
pooler beside the masked-LM head. Of the rows one is padded on the left and one
has the id of padding inside its text; the activation of the blocks is not that
of the head.
"""

import numpy as np
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_with_tasks
from transformers import RobertaConfig
from transformers import RobertaForMaskedLM
from transformers import RobertaForMultipleChoice
from transformers import RobertaForQuestionAnswering
from transformers import RobertaForSequenceClassification
from transformers import RobertaForTokenClassification
from transformers import RobertaModel

_SEED = 1907
_PAD = 1
# That of the small tokenizer of the tests.
_VOCAB_SIZE = 275
_SEQ_LENGTH = 12


def make_config():
    """A tiny model whose positions are just as many as it needs."""
    return RobertaConfig(
        vocab_size=_VOCAB_SIZE,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=32,
        hidden_act="gelu_new",
        max_position_embeddings=_SEQ_LENGTH + _PAD + 1,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        architectures=["RobertaForMaskedLM"],
        attn_implementation="eager",
    )


def make_inputs():
    """Four rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    places = np.arange(_SEQ_LENGTH)
    mask = np.stack([places < 12, places < 7, places >= 5, places < 9])
    ids = np.where(mask, random.integers(4, _VOCAB_SIZE, mask.shape), _PAD)
    ids[3, 4] = _PAD
    inputs = {"input_ids": ids, "attention_mask": mask}
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def main():
    inputs = make_inputs()
    model = draw_widely(RobertaForMaskedLM(make_config()), _SEED)
    pooled = draw_widely(RobertaModel(make_config()), _SEED + 1)
    pooled.load_state_dict(model.roberta.state_dict(), strict=False)
    weights = {f"roberta.{k}": v for k, v in weights_of(pooled).items()}
    answer = answer_of(model, inputs, output_hidden_states=True)
    write_with_tasks(
        "hf_roberta",
        model.config,
        weights={**weights, **weights_of(model)},
        inputs=inputs,
        outputs={
            "logits": answer.logits.numpy(),
            "pooler_output": answer_of(pooled, inputs).pooler_output.numpy(),
            **states_of(answer),
        },
        tasks=(
            RobertaForSequenceClassification,
            RobertaForTokenClassification,
            RobertaForQuestionAnswering,
            RobertaForMultipleChoice,
        ),
    )


if __name__ == "__main__":
    main()
