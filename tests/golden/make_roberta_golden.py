"""Writes what Hugging Face's RoBERTa answers, for the tests to compare with.

`hf_roberta.npz` comes from torch 2.13.0 and transformers 5.23.0, and
`hf_xlm-roberta.npz` and `hf_mpnet.npz`, of the classes of XLM-RoBERTa and
MPNet, from transformers 5.24.0:

    pip install torch==2.13.0 transformers==5.23.0 numpy==2.4.6
    python tests/golden/make_roberta_golden.py

Keys: as of `write_with_tasks`. As in the published files, the weights hold a
pooler beside the masked-LM head. Of the rows one is padded on the left and one
has the id of padding inside its text; the activation of the blocks is not that
of the head.
"""

import numpy as np
import transformers
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_with_tasks

_SEED = 1907
_PAD = 1
# By family, those of the small tokenizers of the tests.
_VOCAB_SIZES = {"Roberta": 275, "XLMRoberta": 40, "MPNet": 41}
_TASKS = ("SequenceClassification", "TokenClassification") + (
    "QuestionAnswering",
    "MultipleChoice",
)
_SEQ_LENGTH = 12
_LONG = 150  # Longer than the greatest distance that MPNet tells from others.


def make_config(family):
    """A tiny model whose positions are just as many as it needs."""
    positions = _LONG if family == "MPNet" else _SEQ_LENGTH
    return getattr(transformers, f"{family}Config")(
        vocab_size=_VOCAB_SIZES[family],
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=32,
        hidden_act="gelu_new",
        max_position_embeddings=positions + _PAD + 1,
        **({} if family == "MPNet" else {"type_vocab_size": 1}),
        layer_norm_eps=1e-5,
        architectures=[f"{family}ForMaskedLM"],
        attn_implementation="eager",
    )


def make_inputs(vocab_size):
    """Four rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    places = np.arange(_SEQ_LENGTH)
    mask = np.stack([places < 12, places < 7, places >= 5, places < 9])
    ids = np.where(mask, random.integers(4, vocab_size, mask.shape), _PAD)
    ids[3, 4] = _PAD
    inputs = {"input_ids": ids, "attention_mask": mask}
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def _state_of_long(model):
    """The last states of one long text, each tenth."""
    length = model.config.max_position_embeddings - _PAD - 1
    ids = (4 + np.arange(length) ** 2 % 31)[np.newaxis].astype(np.int32)
    row = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    answer = answer_of(model, row, output_hidden_states=True)
    return {"long": answer.hidden_states[-1][0, ::10].numpy()}


def write(family, name):
    """Writes the file of one family.

    Args:
        family: str, how the names of its classes begin.
        name: str, of the file.
    """
    inputs = make_inputs(_VOCAB_SIZES[family])
    make = getattr(transformers, f"{family}ForMaskedLM")
    model = draw_widely(make(make_config(family)), _SEED)
    make = getattr(transformers, f"{family}Model")
    pooled = draw_widely(make(make_config(family)), _SEED + 1)
    pooled.load_state_dict(model.base_model.state_dict(), strict=False)
    prefix = model.base_model_prefix
    weights = {f"{prefix}.{k}": v for k, v in weights_of(pooled).items()}
    answer = answer_of(model, inputs, output_hidden_states=True)
    write_with_tasks(
        name,
        model.config,
        weights={**weights, **weights_of(model)},
        inputs=inputs,
        outputs={
            "logits": answer.logits.numpy(),
            "pooler_output": answer_of(pooled, inputs).pooler_output.numpy(),
            **states_of(answer),
            **(_state_of_long(model) if family == "MPNet" else {}),
        },
        tasks=[getattr(transformers, f"{family}For{x}") for x in _TASKS],
    )


if __name__ == "__main__":
    write("Roberta", "hf_roberta")
    write("XLMRoberta", "hf_xlm-roberta")
    write("MPNet", "hf_mpnet")
