"""Compare few-shot classification with SetFit's recipe.

    python benchmarks/studies/few_shot.py \\
        --train_file=train.tsv --test_file=dev.tsv \\
        --model_dir=sentence-transformers/all-MiniLM-L6-v2 \\
        --rows_file=few_shot.jsonl

Each seed selects --num_texts texts of each label from --train_file, a .tsv
file without a header, with texts and labels. `FewShotClassifier` and SetFit's
recipe in sentence-transformers train on the same pairs of texts with the same
hyperparameters, then fit the same logistic regression, and are evaluated on
--test_file. Each result is appended to --rows_file, and results in this file
are not computed again. Needs sentence-transformers.
"""

import json
import pathlib
import time

import numpy as np
from absl import app
from absl import flags

import keras_bert
from keras_bert.tasks.few_shot_classifier import contrastive_pairs
from keras_bert.tasks.few_shot_classifier import logistic_regression

_TRAIN_FILE = flags.DEFINE_string(
    "train_file", None, "File with training texts.", required=True
)
_TEST_FILE = flags.DEFINE_string(
    "test_file", None, "File with test texts.", required=True
)
_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Directory of sentence-transformers.", required=True
)
_ROWS_FILE = flags.DEFINE_string(
    "rows_file", None, "File with a JSON line per result.", required=True
)
_NUM_TEXTS = flags.DEFINE_integer("num_texts", 8, "Texts of each label.")
_NUM_SEEDS = flags.DEFINE_integer("num_seeds", 10, "Number of seeds.")
_NUM_ITERATIONS = 20
_BATCH_SIZE, _LEARNING_RATE, _WARMUP, _WEIGHT_DECAY = 16, 2e-5, 0.1, 0.01
_LABELS = ("0", "1")


def main(_):
    path = pathlib.Path(_ROWS_FILE.value)
    lines = path.read_text().splitlines() if path.exists() else []
    rows = [json.loads(line) for line in lines]
    known = {(row["library"], row["seed"]) for row in rows}
    train, test = (
        keras_bert.tasks.read_columns(file, 0, 1)
        for file in (_TRAIN_FILE.value, _TEST_FILE.value)
    )
    for seed in range(_NUM_SEEDS.value):
        texts, places = _sample(*train, seed)
        for library, predict in _LIBRARIES.items():
            if (library, seed) in known:
                continue
            start = time.perf_counter()
            found = predict(texts, places, test[0], seed)
            row = {
                "library": library,
                "seed": seed,
                "accuracy": np.mean(np.array(test[1]) == found),
                "seconds": time.perf_counter() - start,
            }
            rows.append(row)
            with path.open("a") as file:
                print(json.dumps(row), file=file)
    print("| library | accuracy, mean ± deviation | seconds |")
    print("|---|---|---|")
    for library in _LIBRARIES:
        own = [row for row in rows if row["library"] == library]
        found = 100 * np.array([row["accuracy"] for row in own])
        seconds = np.median([row["seconds"] for row in own])
        print(
            f"| {library} | {found.mean():.1f} ± {found.std():.1f} | "
            f"{seconds:.0f} |"
        )


def _sample(texts, labels, seed):
    """Return some texts of each label, and the indices of their labels."""
    random = np.random.default_rng(seed)
    found, places = [], []
    for place, label in enumerate(_LABELS):
        own = np.flatnonzero(np.array(labels) == label)
        for index in random.choice(own, _NUM_TEXTS.value, replace=False):
            found.append(texts[index])
            places.append(place)
    return found, np.array(places)


def _untrained(texts, places, test, seed):
    embedder = keras_bert.TextEmbedder.from_pretrained(_MODEL_DIR.value)
    return _regression(embedder.embed, texts, places, test)


def _ours(texts, places, test, seed):
    classifier = keras_bert.FewShotClassifier.from_pretrained(
        _MODEL_DIR.value, labels=_LABELS
    )
    classifier.fit(
        texts,
        places,
        num_iterations=_NUM_ITERATIONS,
        seed=seed,
        batch_size=_BATCH_SIZE,
        learning_rate=_LEARNING_RATE,
        warmup=_WARMUP,
        weight_decay=_WEIGHT_DECAY,
        verbose=0,
    )
    return [answer["label"] for answer in classifier.predict(test)]


def _setfit(texts, places, test, seed):
    import sentence_transformers
    import torch
    import transformers
    from sentence_transformers.sentence_transformer import losses

    torch.manual_seed(seed)
    model = sentence_transformers.SentenceTransformer(
        _MODEL_DIR.value, device="cpu"
    )
    pairs, scores = contrastive_pairs(texts, places, _NUM_ITERATIONS, seed)
    order = np.random.default_rng(seed).permutation(len(pairs))
    batches = np.array_split(order, range(_BATCH_SIZE, len(pairs), _BATCH_SIZE))
    loss = losses.CosineSimilarityLoss(model)
    optimizer = torch.optim.AdamW(
        model.parameters(), _LEARNING_RATE, weight_decay=_WEIGHT_DECAY
    )
    schedule = transformers.get_linear_schedule_with_warmup(
        optimizer, int(_WARMUP * len(batches)), len(batches)
    )
    model.train()
    for batch in batches:
        columns = zip(*(pairs[index] for index in batch), strict=True)
        features = [model.preprocess(list(column)) for column in columns]
        labels = torch.tensor([scores[index] for index in batch])
        loss(features, labels).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    model.eval()
    return _regression(model.encode, texts, places, test)


def _regression(embed, texts, places, test):
    kernel, bias = logistic_regression(embed(texts), np.eye(2)[places])
    return np.array(_LABELS)[(embed(test) @ kernel + bias).argmax(axis=1)]


_LIBRARIES = {
    "logistic regression on the untrained embedder": _untrained,
    "keras_bert": _ours,
    "sentence-transformers": _setfit,
}

if __name__ == "__main__":
    app.run(main)
