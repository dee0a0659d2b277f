"""Write losses and gradients of Hugging Face's GPT-1 with two heads.

`hf_double_heads.npz` comes from torch 2.13.0 and transformers 5.24.0:

    pip install torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    python tests/golden/make_double_heads_golden.py

Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/...`,
`gradients/<name>` of the loss, and `config`, the text of a Hugging Face
`config.json`. The losses follow `model` and `mgpu_train` of
openai/finetune-transformer-lm, train.py: the mean over the tokens after the
first one of each text, then the mean over the texts, times 0.5, plus the cross
entropy of the choices.
"""

import numpy as np
import torch
from hugging_face_golden import draw_gpt_widely
from hugging_face_golden import weights_of
from hugging_face_golden import write_golden
from torch.nn.functional import cross_entropy
from transformers import OpenAIGPTConfig
from transformers import OpenAIGPTDoubleHeadsModel

_SEED = 2028
_START, _DELIMITER, _CLASSIFY = 40, 41, 42
# Lengths of contexts and of choices.
_LENGTHS = [(5, [4, 2, 3]), (2, [1, 6, 2])]
_LM_COEF = 0.5


def make_config():
    """Return the config of a tiny model."""
    return OpenAIGPTConfig(
        vocab_size=43,
        n_positions=16,
        n_embd=8,
        n_layer=2,
        n_head=2,
        architectures=["OpenAIGPTDoubleHeadsModel"],
        attn_implementation="eager",
    )


def make_inputs():
    """Return two questions with three choices, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    ids = np.zeros((2, 3, 12), np.int32)
    ends = np.zeros((2, 3), np.int32)
    for question, (num_tokens, lengths) in enumerate(_LENGTHS):
        context = random.integers(1, 40, num_tokens)
        for choice, length in enumerate(lengths):
            row = [_START, *context, _DELIMITER]
            row += [*random.integers(1, 40, length), _CLASSIFY]
            ids[question, choice, : len(row)] = row
            ends[question, choice] = len(row) - 1
    mask = (np.arange(12) <= ends[..., None]).astype(np.int32)
    labels = np.array([2, 1], np.int32)
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "mc_token_ids": ends,
        "labels": labels,
    }


def main():
    inputs = make_inputs()
    model = draw_gpt_widely(OpenAIGPTDoubleHeadsModel(make_config()), _SEED)
    weights = weights_of(model)
    torch.set_num_threads(1)
    tensors = {k: torch.from_numpy(x).long() for k, x in inputs.items()}
    labels = tensors.pop("labels")
    # The class takes no masks of choices; padding follows the read tokens.
    mask = tensors.pop("attention_mask").double()
    answer = model.double()(**tensors)
    ids = tensors["input_ids"]
    losses = cross_entropy(
        answer.logits[..., :-1, :].flatten(0, 2),
        ids[..., 1:].flatten(),
        reduction="none",
    ).reshape(2, 3, -1)
    of_texts = (losses * mask[..., 1:]).sum(-1) / mask[..., 1:].sum(-1)
    of_choices = cross_entropy(answer.mc_logits, labels)
    loss = of_choices + _LM_COEF * of_texts.mean()
    loss.backward()
    write_golden(
        "hf_double_heads",
        model.config,
        weights=weights,
        inputs=inputs,
        outputs={
            "logits": answer.mc_logits.detach().numpy(),
            "losses": of_texts.detach().numpy(),
            "loss": loss.detach().numpy(),
        },
        gradients={k: p.grad.numpy() for k, p in model.named_parameters()},
    )


if __name__ == "__main__":
    main()
