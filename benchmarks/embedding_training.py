"""Compare the training of text embedders with sentence-transformers.

    python benchmarks/embedding_training.py --model_dir=all-MiniLM-L6-v2 \\
        --data_dir=data --sts_dir=sts --output_file=runs.jsonl \\
        --peer_python=peer/bin/python

Tasks:

- mrpc: positive pairs of `DATA_DIR/mrpc`. Score: nDCG@10 of finding the second
  sentence of a test pair among the second sentences of all test pairs;
- squad: questions with their paragraphs, from the first 40 articles of
  `DATA_DIR/squad/dev-v1.1.rebuilt.json`. Score: nDCG@10 of finding the
  paragraphs of the questions of the other articles;
- sts: scored pairs of `STS_DIR/sts-train.csv`. Score: Spearman correlation on
  `STS_DIR/sts-test.csv`.

Pairs without scores are trained with MultipleNegativesRankingLoss and batches
without duplicates, scored pairs with CoSENTLoss. Both libraries train for one
epoch on the same batches in the same order, with AdamW at 2e-5, epsilon 1e-6,
weight decay 0.01 except for biases and LayerNorm, gradients clipped to norm 1,
and google-research/bert's schedule with warmup over a tenth of the steps.

Each run is a process with one thread, and the libraries alternate. Speed is in
examples per second of processor time from the end of the third step to the end
of the last one. Each run adds a line to --output_file; finished runs are not
repeated. The program ends with a table of the means over the seeds, in which
`untrained` is MODEL_DIR before training. --no_dropout trains without dropout;
the losses and scores of both libraries are then equal but for rounding.

--kind=sparse trains sparse embedders with SpladeLoss on the pairs of mrpc and
squad; MODEL_DIR is then a masked LM, and the table has the mean number of
active dimensions of the evaluated texts. --kind=late trains late-interaction
embedders from MODEL_DIR with the same new projection, also with PyLate.

--peer_python has sentence-transformers, accelerate and datasets,
--pylate_python has pylate.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

_TASKS = {"mrpc": "nDCG@10", "squad": "nDCG@10", "sts": "Spearman"}
_LIBRARIES = "untrained", "ours", "sentence_transformers", "pylate"
_KINDS = {
    "dense": "TextEmbedder",
    "sparse": "SparseEmbedder",
    "late": "LateInteractionEmbedder",
}
_NUM_TRAINING_ARTICLES = 40
_RECIPE = {
    "batch_size": 32,
    "warmup": 0.1,
    "weight_decay": 0.01,
}
_NDCG_LENGTH = 10


def main():
    args = _arguments().parse_args()
    if args.work_dir:
        import embedding_libraries

        embedding_libraries.measure(args.library[0], args.work_dir)
        return
    output = pathlib.Path(args.output_file)
    done = []
    if output.exists():
        done = [*map(json.loads, output.read_text().splitlines())]
    settings = {
        "max_examples": args.max_examples,
        "seq_length": args.seq_length,
        "dropout": not args.no_dropout,
        "kind": args.kind,
        "epochs": args.epochs,
        "learning_rate": args.learning_rate,
    }
    tasks = _TASKS if args.kind == "dense" else ["mrpc", "squad"]
    libraries = _LIBRARIES if args.pylate_python else _LIBRARIES[:3]
    for seed in range(args.seeds):
        for task in args.task or tasks:
            for library in args.library or libraries:
                if library == "untrained" and seed:
                    continue
                context = {"task": task, "library": library, "seed": seed}
                context |= settings
                if any(context.items() <= run.items() for run in done):
                    continue
                run = {**context, **_run(args, context)}
                done.append(run)
                print(json.dumps(run), flush=True)
                with output.open("a") as file:
                    file.write(json.dumps(run) + "\n")
    _print_table([run for run in done if settings.items() <= run.items()])


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--library", action="append", choices=_LIBRARIES)
    parser.add_argument("--task", action="append", choices=_TASKS)
    parser.add_argument("--model_dir", help="sentence-transformers directory")
    parser.add_argument("--data_dir", help="folders mrpc and squad")
    parser.add_argument("--sts_dir", help="files sts-train.csv, sts-test.csv")
    parser.add_argument("--output_file", help="JSON lines of the runs")
    parser.add_argument("--peer_python", help="Python of the peer")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--max_examples", type=int, default=2000)
    parser.add_argument("--seq_length", type=int, default=128)
    parser.add_argument("--no_dropout", action="store_true")
    parser.add_argument("--kind", choices=_KINDS, default="dense")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--learning_rate", type=float, default=2e-5)
    parser.add_argument("--pylate_python", help="Python of PyLate")
    parser.add_argument("--work_dir", help="train one library here")
    return parser


def _run(args, context):
    """Train and evaluate in a new process; return the figures."""
    train, evaluation = _READERS[context["task"]](args)
    examples = random.Random(0).sample(
        [*zip(*train, strict=True)], len(train[0])
    )
    texts, labels = zip(*examples[: args.max_examples], strict=True)
    labels = None if labels[0] is None else labels
    with tempfile.TemporaryDirectory() as directory:
        model_dir = pathlib.Path(directory, "model")
        if args.kind == "late":
            _write_late(args.model_dir, model_dir, args.seq_length)
        else:
            shutil.copytree(args.model_dir, model_dir)
        if args.no_dropout:
            _remove_dropout(model_dir / "config.json")
        work = {
            "model_dir": str(model_dir),
            "seq_length": args.seq_length,
            "kind": args.kind,
            "embedder": _KINDS[args.kind],
            "texts": texts,
            "labels": labels,
            "evaluation": evaluation["texts"],
            "recipe": {
                **_RECIPE,
                "epochs": args.epochs,
                "learning_rate": args.learning_rate,
                "seed": context["seed"],
            },
        }
        work["batches"] = _batches(work)
        file = pathlib.Path(directory, "work.json")
        file.write_text(json.dumps(work))
        pythons = {
            "sentence_transformers": args.peer_python,
            "pylate": args.pylate_python,
        }
        command = [
            pythons.get(context["library"], sys.executable),
            __file__,
            f"--library={context['library']}",
            f"--work_dir={directory}",
        ]
        finished = subprocess.run(
            command,
            env={
                **os.environ,
                "OMP_NUM_THREADS": "1",
                "HF_HUB_OFFLINE": "1",
                "TF_CPP_MIN_LOG_LEVEL": "3",
            },
            stdout=subprocess.PIPE,
            check=True,
        )
        figures = json.loads(finished.stdout.splitlines()[-1])
        return {"score": _score(directory, evaluation), **figures}


def _write_late(source, directory, seq_length):
    """Write an embedder with a new projection in the format of PyLate."""
    import keras

    import keras_bert

    keras.utils.set_random_seed(0)
    embedder = keras_bert.LateInteractionEmbedder.from_pretrained(
        source, seq_length=seq_length, query_length=min(32, seq_length)
    )
    embedder.save(directory, format="hf")
    (directory / "manifest.json").unlink()  # The dropout may be changed.


def _remove_dropout(path):
    config = json.loads(path.read_text())
    for name in ("attention_probs_dropout_prob", "hidden_dropout_prob"):
        config[name] = 0.0
    path.write_text(json.dumps(config))


def _batches(work):
    """Return the batches of each epoch on which `fit` trains."""
    import keras_bert
    from keras_bert.tasks.embeddings.examples import embedding_examples
    from keras_bert.tasks.training.batches import TrainingBatches

    embedder = getattr(keras_bert, work["embedder"]).from_pretrained(
        work["model_dir"], seq_length=work["seq_length"]
    )
    examples = embedding_examples(
        embedder.preprocess,
        work["texts"],
        work["labels"],
        query_preprocess=embedder.query_preprocess,
    )
    examples.no_duplicates = work["labels"] is None
    recipe = work["recipe"]
    batches = TrainingBatches(
        examples, recipe["batch_size"], recipe["epochs"], recipe["seed"]
    )
    steps = range(batches.steps)
    return [
        [batches[epoch * batches.steps + step].tolist() for step in steps]
        for epoch in range(recipe["epochs"])
    ]


def _score(directory, evaluation):
    """Return the score of the vectors that a run has written, in percent."""
    import numpy as np

    import keras_bert
    from keras_bert.tasks.embeddings.scores import scored_pair_scores

    sides, similarity = _sides(pathlib.Path(directory))
    groups = np.array(evaluation["groups"])
    if "scores" in evaluation:
        scores = np.array(evaluation["scores"])
        return 100 * scored_pair_scores(sides, groups, scores)["spearman"]
    documents = np.array(evaluation["documents"])
    ranked, _ = keras_bert.tasks.search(
        sides[0][groups[:, 0]], sides[1][documents], _NDCG_LENGTH, similarity
    )
    gains = 1 / np.log2(np.arange(_NDCG_LENGTH) + 2)
    is_right = documents[ranked] == groups[:, 1:]
    return float(100 * (is_right * gains).sum(axis=1).mean())


def _sides(directory):
    """Return the vectors of all texts as queries and as documents."""
    import numpy as np
    import scipy.sparse

    import keras_bert

    if (directory / "vectors.npy").exists():
        vectors = np.load(directory / "vectors.npy")
        return (vectors, vectors), "cosine"
    if (directory / "vectors.npz").exists():
        vectors = scipy.sparse.load_npz(directory / "vectors.npz")
        return (vectors, vectors), "dot"
    sides = []
    for name in ("query", "document"):
        arrays = np.load(directory / f"{name}.npz")
        sides.append(keras_bert.tasks.MultiVectors(**arrays))
    return sides, "dot"


def _mrpc(args):
    import keras_bert

    columns = {"text": "#1 String", "text_pair": "#2 String"}
    pairs = {}
    for split in ("train", "test"):
        path = f"{args.data_dir}/mrpc/msr_paraphrase_{split}.txt"
        table = keras_bert.tasks.read_table(path, columns, {"label": "Quality"})
        labels = table.columns["label"]
        pairs[split] = [*zip(table.texts(), labels, strict=True)]
    train = [pair for pair, label in pairs["train"] if label == "1"]
    queries = [pair for pair, label in pairs["test"] if label == "1"]
    documents = [pair[1] for pair, _ in pairs["test"]]
    return (train, [None] * len(train)), _retrieval(queries, documents)


def _squad(args):
    path = pathlib.Path(args.data_dir, "squad/dev-v1.1.rebuilt.json")
    articles = [
        [
            (question["question"], paragraph["context"])
            for paragraph in article["paragraphs"]
            for question in paragraph["qas"]
        ]
        for article in json.loads(path.read_text())["data"]
    ]
    train = sum(articles[:_NUM_TRAINING_ARTICLES], [])
    queries = sum(articles[_NUM_TRAINING_ARTICLES:], [])
    documents = [paragraph for _, paragraph in queries]
    return (train, [None] * len(train)), _retrieval(queries, documents)


def _sts(args):
    from sts_benchmark import read_pairs

    pairs, scores = read_pairs(f"{args.sts_dir}/sts-test.csv")
    texts, places = _numbered([text for pair in pairs for text in pair])
    groups = [[places[text] for text in pair] for pair in pairs]
    evaluation = {"texts": texts, "groups": groups, "scores": scores}
    return read_pairs(f"{args.sts_dir}/sts-train.csv"), evaluation


def _retrieval(pairs, documents):
    """Return the texts, the pairs and the documents as indices of texts."""
    texts, places = _numbered(
        [text for pair in pairs for text in pair] + documents
    )
    return {
        "texts": texts,
        "groups": [[places[text] for text in pair] for pair in pairs],
        "documents": sorted({places[text] for text in documents}),
    }


def _numbered(texts):
    """Return the distinct texts and a dict from each text to its index."""
    texts = [*dict.fromkeys(texts)]
    return texts, {text: index for index, text in enumerate(texts)}


_READERS = {"mrpc": _mrpc, "squad": _squad, "sts": _sts}


def _print_table(runs):
    columns = "task library seeds score loss examples/s MiB active".split()
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    for task, score in _TASKS.items():
        for library in _LIBRARIES:
            some = [
                run
                for run in runs
                if (run["task"], run["library"]) == (task, library)
            ]
            if not some:
                continue
            cells = [_mean(some, "score", 2), _mean(some, "loss", 4)]
            cells += [_mean(some, "per_s", 1), _mean(some, "peak_mib", 0)]
            cells += [_mean(some, "active", 1)]
            cells = [f"{task} {score}", library, str(len(some)), *cells]
            print(f"| {' | '.join(cells)} |")


def _mean(runs, key, digits):
    """Format the mean and, if there are several runs, the deviation."""
    values = [run[key] for run in runs if run.get(key) is not None]
    if not values:
        return ""
    text = f"{statistics.mean(values):,.{digits}f}"
    if len(values) > 1 and key == "score":
        text += f" ± {statistics.stdev(values):.{digits}f}"
    return text


if __name__ == "__main__":
    main()
