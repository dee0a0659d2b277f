"""Writes what Hugging Face's DeBERTa answers, for the tests to compare with.

`hf_deberta.npz` and `hf_deberta-v2.npz` come from torch 2.13.0 and transformers
5.24.0:

    pip install torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    python tests/golden/make_deberta_golden.py deberta deberta-v2

Keys: as of `write_with_tasks`, and `lengths/<length>`, the last hidden states
of one text of that many tokens, `token_ids`, at the positions `places`: on both
sides of the edges of the buckets of distances. That of version 2 has the
convolution, whose activation is not that of the blocks.
"""

import sys

import numpy as np
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_with_tasks
from transformers import DebertaConfig
from transformers import DebertaForMaskedLM
from transformers import DebertaForQuestionAnswering
from transformers import DebertaForSequenceClassification
from transformers import DebertaForTokenClassification
from transformers import DebertaV2Config
from transformers import DebertaV2ForMaskedLM
from transformers import DebertaV2ForMultipleChoice
from transformers import DebertaV2ForQuestionAnswering
from transformers import DebertaV2ForSequenceClassification
from transformers import DebertaV2ForTokenClassification

_SEED = 2006
_LENGTHS = np.array([[12], [7], [3], [10]])
_LONG = (3, 127, 128, 129, 130, 300, 510, 511, 512, 513)


# As many distances as the published ones.
_COMMON = {
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "hidden_act": "gelu_new",
    "max_position_embeddings": 512,
    "relative_attention": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
    "max_relative_positions": -1,
    "type_vocab_size": 0,
    "layer_norm_eps": 1e-7,
    "legacy": False,
    "attn_implementation": "eager",
}
_CONFIGS = {
    "deberta": lambda: DebertaConfig(
        vocab_size=275, architectures=["DebertaForMaskedLM"], **_COMMON
    ),
    "deberta-v2": lambda: DebertaV2Config(
        vocab_size=40,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        conv_kernel_size=3,
        conv_act="gelu",
        architectures=["DebertaV2ForMaskedLM"],
        **_COMMON,
    ),
}
_CLASSES = {
    "deberta": (
        DebertaForMaskedLM,
        DebertaForSequenceClassification,
        DebertaForTokenClassification,
        DebertaForQuestionAnswering,
    ),
    "deberta-v2": (
        DebertaV2ForMaskedLM,
        DebertaV2ForSequenceClassification,
        DebertaV2ForTokenClassification,
        DebertaV2ForQuestionAnswering,
        DebertaV2ForMultipleChoice,
    ),
}


def make_inputs():
    """Four padded rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    mask = np.arange(_LENGTHS.max()) < _LENGTHS
    inputs = {
        "input_ids": random.integers(1, 40, mask.shape) * mask,
        "attention_mask": mask,
    }
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def token_ids(length):
    """The ids of a text, int32 `(1, length)`."""
    return (1 + np.arange(length) ** 2 % 37)[np.newaxis].astype(np.int32)


def places(length):
    """Positions near the ends and the middle of a text."""
    return [0, 1, length // 2, length - 2, length - 1]


def write(name):
    """Writes `hf_<name>.npz`."""
    inputs, (masked_lm, *tasks) = make_inputs(), _CLASSES[name]
    model = draw_widely(masked_lm(_CONFIGS[name]()), _SEED)
    answer = answer_of(model, inputs, output_hidden_states=True)
    states = {}
    for length in _LONG:
        row = {"input_ids": token_ids(length)}
        row["attention_mask"] = np.ones_like(row["input_ids"])
        last = answer_of(model, row, output_hidden_states=True).hidden_states
        states[f"lengths/{length}"] = last[-1][0, places(length)].numpy()
    outputs = {"logits": answer.logits.numpy(), **states_of(answer), **states}
    write_with_tasks(
        f"hf_{name}",
        model.config,
        weights=weights_of(model),
        inputs=inputs,
        outputs=outputs,
        tasks=tasks,
    )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(name)
