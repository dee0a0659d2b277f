"""Writes what Hugging Face's ALBERT answers, for the tests to compare with.

`hf_albert.npz` comes from torch 2.13.0 and transformers 5.23.0:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_albert_golden.py

Keys: as of `write_with_tasks`. The model has three layers in two groups of two
blocks, so a group is run twice and each of its blocks gives hidden states.
"""

import numpy as np
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_with_tasks
from transformers import AlbertConfig
from transformers import AlbertForMultipleChoice
from transformers import AlbertForPreTraining
from transformers import AlbertForQuestionAnswering
from transformers import AlbertForSequenceClassification
from transformers import AlbertForTokenClassification

_SEED = 1909
_LENGTHS = np.array([[12], [7], [3], [10]])
_SEGMENT_STARTS = np.array([[6], [4], [2], [10]])


def make_config():
    """A tiny model; its class would make an xxlarge one of what is not said."""
    return AlbertConfig(
        vocab_size=40,
        embedding_size=8,
        hidden_size=16,
        num_hidden_layers=3,
        num_hidden_groups=2,
        inner_group_num=2,
        num_attention_heads=4,
        intermediate_size=32,
        max_position_embeddings=16,
        architectures=["AlbertForPreTraining"],
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
    model = draw_widely(AlbertForPreTraining(make_config()), _SEED)
    answer = answer_of(model, inputs, output_hidden_states=True)
    encoded = answer_of(model.albert, inputs)
    write_with_tasks(
        "hf_albert",
        model.config,
        weights=weights_of(model),
        inputs=inputs,
        outputs={
            "logits": answer.prediction_logits.numpy(),
            "sop_logits": answer.sop_logits.numpy(),
            "pooler_output": encoded.pooler_output.numpy(),
            **states_of(answer),
        },
        tasks=(
            AlbertForSequenceClassification,
            AlbertForTokenClassification,
            AlbertForQuestionAnswering,
            AlbertForMultipleChoice,
        ),
    )


if __name__ == "__main__":
    main()
