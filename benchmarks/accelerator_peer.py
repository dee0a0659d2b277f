"""Time Hugging Face's BERT with torch, for `accelerator_speed.py`.

    hf/bin/python benchmarks/accelerator_peer.py configs/bert_base.json \\
        train 256 128 mixed_bfloat16 30

The arguments are the config, "train" or "encode", the batch size, the sequence
length, the precision and the number of timed steps. The program needs torch and
transformers, not keras_bert. It prints the seconds per step.
"""

import json
import pathlib
import sys
import time

import torch
import transformers
from measuring import make_batch

_WARM_UP = 3
_UNLABELLED = -100


def main():
    config_file, part, batch_size, seq_length, precision, steps = sys.argv[1:]
    values = json.loads(pathlib.Path(config_file).read_text())
    config = transformers.BertConfig(**values)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = transformers.BertForPreTraining(config).to(device)
    batch = _batch(config, int(batch_size), int(seq_length), device)
    make = {"train": _training_step, "encode": _encoding}[part]
    step = make(model, batch)
    enabled = precision == "mixed_bfloat16"

    def run():
        with torch.autocast(device.type, torch.bfloat16, enabled=enabled):
            return step()

    print(_time(run, int(steps), device))


def _batch(config, batch_size, seq_length, device):
    inputs, labels, _ = make_batch(config.vocab_size, batch_size, seq_length)
    inputs = {name: torch.tensor(x).long() for name, x in inputs.items()}
    mlm_labels = torch.full((batch_size, seq_length), _UNLABELLED)
    mlm_labels.scatter_(
        1,
        inputs["masked_lm_positions"],
        torch.tensor(labels["mlm_logits"]).long(),
    )
    batch = {
        "input_ids": inputs["input_ids"],
        "attention_mask": inputs["input_mask"],
        "token_type_ids": inputs["segment_ids"],
        "labels": mlm_labels,
        "next_sentence_label": torch.tensor(labels["nsp_logits"]).long(),
    }
    return {name: x.to(device) for name, x in batch.items()}


def _training_step(model, batch):
    model.train()
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(
        model.parameters(), 1e-4, weight_decay=0.01, fused=True
    )

    def step():
        loss = compiled(**batch).loss
        # Torch advises against autocast in the backward pass.
        with torch.autocast(loss.device.type, enabled=False):
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


def _encoding(model, batch):
    compiled = torch.compile(model.bert.eval())
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = {name: batch[name] for name in names}

    @torch.inference_mode()
    def encode():
        compiled(**inputs)

    return encode


def _time(function, steps, device):
    """Return the seconds per call of many consecutive calls."""
    for _ in range(_WARM_UP):
        function()
    _wait(device)
    start = time.perf_counter()
    for _ in range(steps):
        function()
    _wait(device)
    return (time.perf_counter() - start) / steps


def _wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
