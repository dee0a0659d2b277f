"""Write golden outputs of Hugging Face's ModernBERT.

`hf_modernbert.npz` comes from torch 2.13.0 and transformers 5.24.0:

    pip install torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    python tests/golden/make_modernbert_golden.py

The row lengths are close to the window and to half of it: shorter, equal and
longer. Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/...`,
`config`, the text of a Hugging Face `config.json`, and for each head of a task
`<class>/<name in the state dict>`, `<class>/logits`, and the logits with mean
pooling, `<class>/mean_logits`. Outputs at padding are zeros. `bfloat16/...` are
the last states and the logits of the same model computed in bfloat16.
"""

import numpy as np
import torch
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import padded_rows
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_golden
from transformers import ModernBertConfig
from transformers import ModernBertForMaskedLM
from transformers import ModernBertForMultipleChoice
from transformers import ModernBertForQuestionAnswering
from transformers import ModernBertForSequenceClassification
from transformers import ModernBertForTokenClassification

_SEED = 2412
# Vocabulary size of the small tokenizer of the tests.
_VOCAB_SIZE = 275
_PAD = 1
_LENGTHS = (5, 64, 65, 66, 128, 129, 130, 200)
_NUM_PREDICTIONS = 5
_ON_TOKENS = (ModernBertForTokenClassification, ModernBertForQuestionAnswering)
_ON_TEXTS = (ModernBertForSequenceClassification, ModernBertForMultipleChoice)


def make_config(**changes):
    """Return the config of a tiny model with the published window sizes."""
    return ModernBertConfig(
        vocab_size=_VOCAB_SIZE,
        hidden_size=8,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=256,
        pad_token_id=_PAD,
        **dict.fromkeys(("bos_token_id", "cls_token_id"), 0),
        **dict.fromkeys(("eos_token_id", "sep_token_id"), 2),
        architectures=["ModernBertForMaskedLM"],
        attn_implementation="eager",
        **changes,
    )


def make_positions():
    """Return the positions of the stored logits: both ends and some others."""
    return np.stack(
        [np.linspace(0, n - 1, _NUM_PREDICTIONS) for n in _LENGTHS]
    ).astype(np.int32)


def answers_of(model, inputs, **arguments):
    """Return the outputs of a model for each row without padding.

    With padding, transformers returns NaN: its softmax in float32 gets a
    float64 mask.
    """
    rows = zip(_LENGTHS, inputs["input_ids"], inputs["attention_mask"])
    for length, ids, mask in rows:
        row = {"input_ids": ids[:length], "attention_mask": mask[:length]}
        if isinstance(model, ModernBertForMultipleChoice):
            row = {name: x[None] for name, x in row.items()}
        row = {name: x[None] for name, x in row.items()}
        yield answer_of(model, row, **arguments)


def bfloat16_answers_of(model, inputs):
    """Return the bfloat16 last states and logits of each row in float32."""
    model = model.bfloat16()
    for length, ids in zip(_LENGTHS, inputs["input_ids"]):
        row = torch.from_numpy(ids[None, :length]).long()
        with torch.no_grad():
            answer = model(row, output_hidden_states=True)
        last = answer.hidden_states[-1]
        yield last.float().numpy(), answer.logits.float().numpy()


def padded(rows):
    """Stack arrays `(1, length, size)`, padded with zeros."""
    outputs = np.zeros((len(_LENGTHS), max(_LENGTHS), rows[0].shape[-1]))
    for output, row, length in zip(outputs, rows, _LENGTHS):
        output[:length] = row[0]
    return outputs


def logits_of(model, inputs):
    answers = answers_of(model, inputs)
    if isinstance(model, ModernBertForQuestionAnswering):
        ends = [(x.start_logits.numpy(), x.end_logits.numpy()) for x in answers]
        return padded([np.stack(pair, axis=-1) for pair in ends])
    rows = [answer.logits.numpy() for answer in answers]
    if isinstance(model, ModernBertForMultipleChoice):
        return np.concatenate(rows).reshape(-1, 2)
    return np.concatenate(rows) if rows[0].ndim == 2 else padded(rows)


def head_of(task, model, inputs):
    """Return a task head on the encoder of a model, and its logits."""
    group = {}
    for pooling in ("cls", "mean") if task in _ON_TEXTS else ("cls",):
        headed = draw_widely(task(make_config(classifier_pooling=pooling)), 0)
        headed.model.load_state_dict(model.model.state_dict())
        name = "mean_logits" if pooling == "mean" else "logits"
        group[name] = logits_of(headed, inputs)
    arrays = weights_of(headed).items()
    head = {k: x for k, x in arrays if not k.startswith("model.")}
    return {**head, **group}


def main():
    mask = np.arange(max(_LENGTHS))[None, :] < np.array(_LENGTHS)[:, None]
    inputs = padded_rows(mask, _SEED + 1, 5, _VOCAB_SIZE, _PAD)
    positions = make_positions()
    model = draw_widely(ModernBertForMaskedLM(make_config()), _SEED)
    answers = [*answers_of(model, inputs, output_hidden_states=True)]
    logits = padded([answer.logits.numpy() for answer in answers])
    states = [states_of(answer) for answer in answers]
    config, weights = model.config, weights_of(model)
    tasks = {
        task.__name__: head_of(task, model, inputs)
        for task in (*_ON_TEXTS, *_ON_TOKENS)
    }
    rough = [padded(x) for x in zip(*bfloat16_answers_of(model, inputs))]
    write_golden(
        "hf_modernbert",
        config,
        weights=weights,
        inputs={**inputs, "masked_lm_positions": positions},
        outputs={
            "logits": np.take_along_axis(logits, positions[..., None], 1),
            **{name: padded([x[name] for x in states]) for name in states[0]},
        },
        bfloat16={
            "last_state": rough[0],
            "logits": np.take_along_axis(rough[1], positions[..., None], 1),
        },
        **tasks,
    )


if __name__ == "__main__":
    main()
