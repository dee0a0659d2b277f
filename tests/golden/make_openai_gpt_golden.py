"""Writes what Hugging Face's GPT-1 answers, for the tests to compare with.

`hf_openai_gpt.npz` comes from torch 2.13.0 and transformers 5.24.0:

    pip install torch==2.13.0 transformers==5.24.0 numpy==2.4.6
    python tests/golden/make_openai_gpt_golden.py

Keys: `weights/<name in the state dict>`, `inputs/...`, `outputs/...`, and
`config`, the text of a Hugging Face `config.json`. `outputs/generated` is what
`generate` writes greedily behind the first tokens of each row, alone.
"""

import numpy as np
import torch
from hugging_face_golden import answer_of
from hugging_face_golden import draw_widely
from hugging_face_golden import states_of
from hugging_face_golden import weights_of
from hugging_face_golden import write_golden
from transformers import OpenAIGPTConfig
from transformers import OpenAIGPTLMHeadModel

_SEED = 2027
_LENGTHS = np.array([[12], [7], [3]])
_NUM_NEW = 6


def make_config():
    """A tiny model."""
    return OpenAIGPTConfig(
        vocab_size=40,
        n_positions=20,
        n_embd=16,
        n_layer=3,
        n_head=4,
        architectures=["OpenAIGPTLMHeadModel"],
        attn_implementation="eager",
    )


def make_inputs():
    """Three padded rows, int32 arrays by name."""
    random = np.random.default_rng(_SEED + 1)
    mask = np.arange(_LENGTHS.max()) < _LENGTHS
    ids = random.integers(1, 40, mask.shape) * mask
    inputs = {"input_ids": ids, "attention_mask": mask}
    return {name: value.astype(np.int32) for name, value in inputs.items()}


def generate(model, inputs):
    """The tokens that follow each row, int32 `(3, _NUM_NEW)`."""
    rows = []
    for ids, (length,) in zip(inputs["input_ids"], _LENGTHS, strict=True):
        prompt = torch.from_numpy(ids[None, :length]).long()
        answer = model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=_NUM_NEW,
            do_sample=False,
            pad_token_id=0,
        )
        rows.append(answer[0, length:].numpy().astype(np.int32))
    return np.stack(rows)


def main():
    inputs = make_inputs()
    model = draw_widely(OpenAIGPTLMHeadModel(make_config()), _SEED)
    with torch.no_grad():
        # Their gains are called ln_1.weight; these are drawn around 1 too.
        for name, parameter in model.named_parameters():
            if ".ln_" in name and name.endswith("weight"):
                parameter += 1
    outputs = {"generated": generate(model, inputs)}
    answer = answer_of(model, inputs, output_hidden_states=True)
    outputs |= {"logits": answer.logits.numpy(), **states_of(answer)}
    write_golden(
        "hf_openai_gpt",
        model.config,
        weights=weights_of(model),
        inputs=inputs,
        outputs=outputs,
    )


if __name__ == "__main__":
    main()
