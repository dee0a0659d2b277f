"""Fine-tunes and predicts once, with transformers, as a peer.

    python benchmarks/fine_tuning_hugging_face.py MODEL_DIR WORK_DIR SEED \\
        PRECISION

`fine_tuning_quality.py` and `fine_tuning_speed.py` start it; WORK_DIR holds
what `fine_tuning_tasks.write_task` writes. It needs torch and transformers
only. Batches of 32 of like length, AdamW with decay 0.01 but for biases and
LayerNorm, warm-up over a tenth of the steps, the gradient's norm clipped to
1, dynamic padding; bfloat16 is by autocast. The learning rate is that of
google-research/bert, whose line to 0 starts at step 0, not at the end of the
warm-up as transformers' own. Prints a JSON line as of `fine_tuning_ours.py`.
"""

import functools
import json
import pathlib
import random
import resource
import sys
import time

import hugging_face_choices
import hugging_face_features
import hugging_face_questions
import hugging_face_texts
import hugging_face_words
import torch
import transformers

_BATCH_SIZE = 32
_BATCHES_SORTED_TOGETHER = 50
_PREDICTION_BATCH_SIZE = 64
_NUM_WARM_UP = 64


def main():
    model_dir, directory, seed, precision = sys.argv[1:]
    transformers.logging.set_verbosity_error()
    recipe, splits = (
        json.loads(pathlib.Path(directory, name).read_text())
        for name in ("recipe.json", "splits.json")
    )
    task = {
        "texts": hugging_face_texts.Texts,
        "features": hugging_face_features.Features,
        "words": hugging_face_words.Words,
        "choices": hugging_face_choices.Choices,
        "questions": hugging_face_questions.Questions,
    }[recipe["kind"]](
        transformers.AutoTokenizer.from_pretrained(model_dir), recipe
    )
    epochs, rate = recipe["epochs"], recipe["learning_rate"]
    inputs, labels = splits["train"]
    some = inputs[:_NUM_WARM_UP], labels[:_NUM_WARM_UP]
    # One for each step: within it, bfloat16 copies of the weights are kept.
    autocast = functools.partial(
        torch.autocast, "cpu", torch.bfloat16, enabled=precision == "bfloat16"
    )
    _fit(task.make(model_dir), task, autocast, *some, 1, 1e-5, 0)
    torch.manual_seed(int(seed))
    model = task.make(model_dir)
    start = time.perf_counter()
    _fit(model, task, autocast, inputs, labels, epochs, rate, int(seed))
    seconds = time.perf_counter() - start
    predictions, num_predicted = {}, 0
    start = time.perf_counter()
    for split in splits.keys() - {"train"}:
        num_predicted += len(splits[split][0])
        with autocast():
            predictions[split] = _predict(model, task, splits[split][0])
    predict_seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    result = {
        "train_per_s": len(inputs) * epochs / seconds,
        "predict_per_s": num_predicted / predict_seconds,
        "peak_mib": usage.ru_maxrss // 1024,
        "predictions": predictions,
    }
    print(json.dumps(result))


def _fit(model, task, autocast, inputs, labels, epochs, rate, seed):
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
    rows = task.rows(inputs, labels)
    lengths = [*map(task.length, rows)]
    steps = -(-len(rows) // _BATCH_SIZE) * epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        functools.partial(_rate, num_warmup_steps=steps // 10, num_steps=steps),
    )
    generator = random.Random(seed)
    for _ in range(epochs):
        for batch in _batches(lengths, generator):
            some = [rows[index] for index in batch]
            with autocast():
                outputs = model(**task.padded(some), **task.targets(some))
            outputs.loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()


def _rate(step, num_warmup_steps, num_steps):
    """The learning rate as a share of its peak."""
    if step < num_warmup_steps:
        return step / num_warmup_steps
    return 1 - step / num_steps


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


def _predict(model, task, inputs):
    """Predictions, made in batches sorted by length."""
    model.eval()
    rows = task.rows(inputs)
    order = sorted(range(len(rows)), key=lambda i: task.length(rows[i]))
    found = [None] * len(rows)
    with torch.inference_mode():
        for at in range(0, len(order), _PREDICTION_BATCH_SIZE):
            batch = order[at : at + _PREDICTION_BATCH_SIZE]
            outputs = model(**task.padded([rows[index] for index in batch]))
            for index, value in zip(batch, task.read(outputs), strict=True):
                found[index] = value
    return task.answers(inputs, rows, found)


if __name__ == "__main__":
    main()
