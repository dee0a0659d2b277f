"""Fine-tunes a classifier with transformers, as a peer to be measured.

    python benchmarks/fine_tuning_hugging_face.py MODEL_DIR DATA_DIR SEED \\
        EPOCHS RATE PRECISION

It needs torch and transformers only, and reads what
`fine_tuning_speed.py` writes into DATA_DIR. Batches of 32 of like length,
AdamW with decay 0.01 but for biases and LayerNorm, warm-up over a tenth of
the steps, the gradient's norm clipped to 1, dynamic padding; bfloat16 is by
autocast. Prints a JSON line.
"""

import json
import pathlib
import random
import resource
import sys
import time

import torch
import transformers

_BATCH_SIZE = 32
_MAX_LENGTH = 128
_BATCHES_SORTED_TOGETHER = 50
_PREDICTION_BATCH_SIZE = 64
_PRECISION = {"enabled": False}


def main():
    model_dir, data_dir, seed, epochs, rate, precision = sys.argv[1:]
    transformers.logging.set_verbosity_error()
    data = {
        split: json.loads(pathlib.Path(data_dir, f"{split}.json").read_text())
        for split in ("train", "dev", "test")
    }
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_dir)
    _PRECISION["enabled"] = precision == "bfloat16"
    warm_up = data["train"]["texts"][:64], data["train"]["labels"][:64]
    _fit(_model(model_dir, data), tokenizer, *warm_up, 1, 1e-5, 0)
    torch.manual_seed(int(seed))
    model = _model(model_dir, data)
    start = time.perf_counter()
    texts, labels = data["train"]["texts"], data["train"]["labels"]
    _fit(model, tokenizer, texts, labels, int(epochs), float(rate), int(seed))
    seconds = time.perf_counter() - start
    with _autocast():
        predictions = {
            split: _predict(model, tokenizer, data[split]["texts"])
            for split in ("dev", "test")
        }
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "train_per_s": len(texts) * int(epochs) / seconds,
                "predict_per_s": predictions["test"][1],
                "peak_rss_mb": usage.ru_maxrss // 1024,
                **{
                    split: _accuracy(data[split]["labels"], values[0])
                    for split, values in predictions.items()
                },
            }
        )
    )


def _autocast():
    """A context of its own for each step: it keeps the weights as they were."""
    return torch.autocast("cpu", torch.bfloat16, **_PRECISION)


def _model(model_dir, data):
    return transformers.AutoModelForSequenceClassification.from_pretrained(
        model_dir, num_labels=1 + max(data["train"]["labels"])
    )


def _fit(model, tokenizer, texts, labels, epochs, rate, seed):
    model.train()
    decaying = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [
            {"params": decaying, "weight_decay": 0.01},
            {"params": others, "weight_decay": 0.0},
        ],
        lr=rate,
        eps=1e-6,
    )
    ids = _tokenize(tokenizer, texts)
    lengths = [len(row) for row in ids["input_ids"]]
    steps = -(-len(lengths) // _BATCH_SIZE) * epochs
    schedule = transformers.get_linear_schedule_with_warmup(
        optimizer, steps // 10, steps
    )
    generator = random.Random(seed)
    for _ in range(epochs):
        for batch in _batches(lengths, generator):
            with _autocast():
                outputs = model(
                    **_padded(tokenizer, ids, batch),
                    labels=torch.tensor([labels[index] for index in batch]),
                )
            outputs.loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()


def _batches(lengths, generator):
    order = list(range(len(lengths)))
    generator.shuffle(order)
    size = _BATCH_SIZE * _BATCHES_SORTED_TOGETHER
    batches = []
    for start in range(0, len(order), size):
        group = sorted(order[start : start + size], key=lengths.__getitem__)
        batches += [
            group[at : at + _BATCH_SIZE]
            for at in range(0, len(group), _BATCH_SIZE)
        ]
    generator.shuffle(batches)
    return batches


def _predict(model, tokenizer, texts):
    """Labels and texts per second, in batches sorted by length."""
    model.eval()
    start = time.perf_counter()
    ids = _tokenize(tokenizer, texts)
    lengths = [len(row) for row in ids["input_ids"]]
    order = sorted(range(len(texts)), key=lengths.__getitem__)
    labels = [0] * len(texts)
    with torch.inference_mode():
        for at in range(0, len(order), _PREDICTION_BATCH_SIZE):
            batch = order[at : at + _PREDICTION_BATCH_SIZE]
            logits = model(**_padded(tokenizer, ids, batch)).logits
            for index, label in zip(batch, logits.argmax(-1).tolist()):
                labels[index] = label
    return labels, len(texts) / (time.perf_counter() - start)


def _tokenize(tokenizer, texts):
    columns = zip(*texts) if isinstance(texts[0], list) else [texts]
    columns = [list(column) for column in columns]
    return tokenizer(*columns, truncation=True, max_length=_MAX_LENGTH)


def _padded(tokenizer, ids, batch):
    rows = {name: [values[i] for i in batch] for name, values in ids.items()}
    return tokenizer.pad(rows, return_tensors="pt")


def _accuracy(labels, predictions):
    return sum(a == b for a, b in zip(labels, predictions)) / len(labels)


if __name__ == "__main__":
    main()
