"""Writes what Hugging Face's ELECTRA answers, for the tests to compare with.

`hf_electra.npz` comes from torch 2.13.0 and transformers 5.24.0:

    pip install torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    python tests/golden/make_electra_golden.py

Keys: as of `write_with_tasks`. The heads of a generator and of a discriminator
stand on one encoder, wider than its tables; its activation is not that of the
generator's head and of the classifiers.
"""

import numpy as np
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_with_tasks
from transformers import ElectraConfig
from transformers import ElectraForMaskedLM
from transformers import ElectraForMultipleChoice
from transformers import ElectraForPreTraining
from transformers import ElectraForQuestionAnswering
from transformers import ElectraForSequenceClassification
from transformers import ElectraForTokenClassification

_SEED = 2003
_LENGTHS = np.array([[12], [7], [3], [10]])
_SEGMENT_STARTS = np.array([[6], [4], [2], [10]])


def make_config():
    """A tiny model."""
    return ElectraConfig(
        vocab_size=40,
        embedding_size=8,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=32,
        hidden_act="gelu_new",
        max_position_embeddings=16,
        architectures=["ElectraForPreTraining"],
        attn_implementation="eager",
    )


def make_inputs():
    """Four padded rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    places = np.arange(_LENGTHS.max())
    mask = places < _LENGTHS
    inputs = {
        "input_ids": random.integers(1, 40, mask.shape) * mask,
        "attention_mask": mask,
        "token_type_ids": (places >= _SEGMENT_STARTS) & mask,
    }
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def main():
    inputs = make_inputs()
    model = draw_widely(ElectraForPreTraining(make_config()), _SEED)
    generator = draw_widely(ElectraForMaskedLM(make_config()), _SEED + 1)
    generator.electra.load_state_dict(model.electra.state_dict())
    answer = answer_of(model, inputs, output_hidden_states=True)
    write_with_tasks(
        "hf_electra",
        model.config,
        weights={**weights_of(generator), **weights_of(model)},
        inputs=inputs,
        outputs={
            "logits": answer_of(generator, inputs).logits.numpy(),
            "replaced_token_logits": answer.logits.numpy(),
            **states_of(answer),
        },
        tasks=(
            ElectraForSequenceClassification,
            ElectraForTokenClassification,
            ElectraForQuestionAnswering,
            ElectraForMultipleChoice,
        ),
    )


if __name__ == "__main__":
    main()
