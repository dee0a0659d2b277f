"""Compare methods to predict the author of a long text, a chapter of a novel.

    python benchmarks/studies/long_documents_authors.py --data_dir=novels \\
        --output_dir=runs/authors

DATA_DIR has novels as .txt files, with a blank line between chapters, and an
INDEX.tsv with columns `file` and `author`. The labels are the authors with
several novels. The last novel of each, by file name, is the test set, so that a
model cannot rely on characters and places. All models have two layers of width
128 and the same word pieces, learned from the training novels. They start from
random weights and read similar numbers of tokens in training. One is trained on
windows first and then made long.

Each run is a process on one core. Its results are appended to results.jsonl in
OUTPUT_DIR; finished runs are not repeated. The table at the end has the
accuracy (mean and standard deviation over the seeds) and the medians of the
tokens read in training, the processor time of training and of the test, and
the peak memory of the process.
"""

import collections
import csv
import dataclasses
import itertools
import json
import os
import pathlib
import resource
import statistics
import sys
import time

from absl import app
from absl import flags

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402

_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Directory of novels.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Output directory.", required=True
)
_SEEDS = flags.DEFINE_integer(
    "seeds", 3, "Number of seeds per method.", lower_bound=1
)
_WAYS = flags.DEFINE_list("ways", None, "Methods to run; by default all.")
_ALONE = flags.DEFINE_list(
    "alone", None, "Method and seed to run in this process."
)

_ROOT = pathlib.Path(__file__).parents[2]
_VOCAB_SIZE = 8000
_MAX_CHAPTERS = 30  # Per author, in training and in the test.
_WINDOW = 128
_TOKENS_PER_STEP = 2048  # Or one text, if it is longer.


@dataclasses.dataclass(frozen=True)
class _Way:
    """Model, and settings of `TextClassifier` for long texts.

    `short` is the method that trains the model before it is made long.
    """

    name: str
    seq_length: int
    epochs: int
    config: str = "bert_tiny"
    windows: str | None = None
    is_longformer: bool = False
    short: str | None = None


_WITH_LONGFORMER = "Longformer's attention, 4,096 tokens"
_ALL = {
    "head": _Way("BERT, first 512 tokens", 512, 11),
    "windows": _Way("BERT, windows of 512 tokens", 512, 1, windows="mean"),
    "longformer": _Way(
        f"BERT with {_WITH_LONGFORMER}", 4096, 2, is_longformer=True
    ),
    "made_long": _Way(
        f"BERT, windows, then {_WITH_LONGFORMER}", 4096, 1, short="windows"
    ),
    "modernbert_2048": _Way(
        "ModernBERT, 2,048 tokens", 2048, 2, "modernbert_tiny"
    ),
    "modernbert_8192": _Way(
        "ModernBERT, 8,192 tokens", 8192, 1, "modernbert_tiny"
    ),
}
_COLUMNS = "accuracy", "tokens", "training_s", "test_s", "memory_mib"


def main(_):
    if _ALONE.value:
        way, seed = _ALONE.value
        print(json.dumps(_run(_ALL[way], int(seed))))
        return
    output = pathlib.Path(_OUTPUT_DIR.value)
    output.mkdir(parents=True, exist_ok=True)
    _learn_vocabulary(output / "vocab.txt")
    counts = collections.Counter(_chapters(is_test=True)[1])
    print(f"majority: {max(counts.values()) / counts.total():.1%}", counts)
    results = output / "results.jsonl"
    results.touch()
    ways = _WAYS.value or [*_ALL]
    for seed, way in itertools.product(range(_SEEDS.value), ways):
        if not [x for x in _runs(results, way) if x["seed"] == seed]:
            alone = [*sys.argv, f"--alone={way},{seed}"]
            figures = json.loads(measuring.output([sys.executable, *alone]))
            line = json.dumps({"way": way, "seed": seed, **figures})
            with results.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
            print(line, flush=True)
    print(f"| model | {' | '.join(_COLUMNS)} |\n|{'---|' * 6}")
    for way in ways:
        print(f"| {_ALL[way].name} | {_cells(_runs(results, way))} |")


def _novels():
    """Return a dict from authors to the paths of their novels, at least two."""
    data_dir, novels = pathlib.Path(_DATA_DIR.value), {}
    with (data_dir / "INDEX.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if (data_dir / row["file"]).exists():
                paths = novels.setdefault(row["author"], [])
                paths.append(data_dir / row["file"])
    return {name: sorted(x) for name, x in novels.items() if len(x) > 1}


def _chapters(is_test):
    """Return texts and labels: evenly spaced chapters of each author."""
    texts, labels = [], []
    part = slice(-1, None) if is_test else slice(-1)
    for author, paths in _novels().items():
        text = "\n\n".join(path.read_text("utf-8") for path in paths[part])
        chapters = [x for x in text.split("\n\n") if x.strip()]
        count = min(len(chapters), _MAX_CHAPTERS)
        texts += [chapters[i * len(chapters) // count] for i in range(count)]
        labels += [author] * count
    return texts, labels


def _learn_vocabulary(path):
    """Write the word pieces of the training novels, unless they exist."""
    if not path.exists():
        novels = [str(x) for paths in _novels().values() for x in paths[:-1]]
        tool = [sys.executable, str(_ROOT / "tools/learn_vocabulary.py")]
        options = ["--compact_ids", f"--vocab_size={_VOCAB_SIZE}"]
        files = [f"--input_file={','.join(novels)}", f"--output_file={path}"]
        measuring.output([*tool, *options, *files])


def _run(way, seed):
    """Train and evaluate a classifier; return its figures."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import keras

    keras.utils.set_random_seed(seed)
    texts, labels = _chapters(is_test=False)
    start = time.process_time()
    classifier, tokens = _train(way, seed, texts, labels)
    trained = time.process_time()
    scores = classifier.evaluate(*_chapters(is_test=True))
    end, usage = time.process_time(), resource.getrusage(resource.RUSAGE_SELF)
    accuracy, memory = 100 * scores["accuracy"], usage.ru_maxrss / 1024
    values = accuracy, tokens, trained - start, end - trained, memory
    return dict(zip(_COLUMNS, values, strict=True))


def _train(way, seed, texts, labels):
    """Return a trained classifier and the number of tokens that it read."""
    import keras_bert

    tokens = 0
    if way.short:
        short, tokens = _train(_ALL[way.short], seed, texts, labels)
        model = keras_bert.models.make_long(
            short.pretrained, max_positions=way.seq_length, window=_WINDOW
        )
    else:
        model = _random_model(way)
    classifier = keras_bert.TextClassifier(
        model,
        labels=sorted({*labels}),
        seq_length=way.seq_length,
        truncation=None if way.windows else "head",
        windows=way.windows,
    )
    classifier.fit(
        texts,
        labels,
        epochs=way.epochs,
        batch_size=max(_TOKENS_PER_STEP // way.seq_length, 1),
        learning_rate=1e-3,
        seed=seed,
        verbose=0,
    )
    lengths = classifier._encode(texts).rows.lengths
    return classifier, tokens + way.epochs * int(lengths.sum())


def _random_model(way):
    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.checkpoints.family import read_config
    from keras_bert.text import BertTokenizer

    config = dataclasses.replace(
        read_config(_ROOT / f"configs/{way.config}.json"),
        vocab_size=_VOCAB_SIZE,
        num_hidden_layers=2,
        max_position_embeddings=way.seq_length,
        **({"attention_window": _WINDOW} if way.is_longformer else {}),
    )
    vocabulary = pathlib.Path(_OUTPUT_DIR.value, "vocab.txt")
    return PretrainedModel.from_config(config, BertTokenizer(vocabulary))


def _runs(results, way):
    lines = results.read_text("utf-8").splitlines()
    return [x for x in map(json.loads, lines) if x["way"] == way]


def _cells(runs):
    accuracies = [run["accuracy"] for run in runs]
    cells = [f"{statistics.mean(accuracies):.1f}"]
    if len(runs) > 1:
        cells[0] += f" ± {statistics.stdev(accuracies):.1f}"
    for column in _COLUMNS[1:]:
        cells.append(f"{measuring.median([x[column] for x in runs]):,.0f}")
    return " | ".join(cells)


if __name__ == "__main__":
    app.run(main)
