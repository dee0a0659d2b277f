"""Measure the quality and speed of small vectors.

    python benchmarks/small_vectors.py --input_file=sts-test.csv \\
        --squad_file=dev-v1.1.json --texts_file=texts.txt \\
        --model_dir=sentence-transformers/all-MiniLM-L6-v2

The first table compares the embedder with the static embedders distilled from
it, without texts and with the lines of --texts_file: Spearman on the STS
benchmark (see sts_benchmark.py) and microseconds of processor time per sentence
of its file, from strings, in one call. The second table is the nDCG@10 of the
questions of a SQuAD file, each with its paragraph as the relevant document, for
compressed document vectors and float32 queries. sts_benchmark.py defines
--input_file and --model_dir.
"""

import pathlib
import time

import numpy as np
from absl import app
from absl import flags
from sts_benchmark import read_pairs

import keras_bert
from keras_bert.tasks.readers.squad import read_squad

_SQUAD_FILE = flags.DEFINE_string(
    "squad_file", None, "SQuAD JSON file.", required=True
)
_TEXTS_FILE = flags.DEFINE_string(
    "texts_file", None, "File with one sentence per line.", required=True
)
_QUESTIONS = flags.DEFINE_integer(
    "num_questions", 2000, "Number of questions to use."
)
_CPU_INFO = pathlib.Path("/proc/cpuinfo")
_REPETITIONS = 10


def main(_):
    embedder = keras_bert.TextEmbedder.from_pretrained(flags.FLAGS.model_dir)
    pairs, scores = read_pairs(flags.FLAGS.input_file)
    texts = pathlib.Path(_TEXTS_FILE.value).read_text().splitlines()
    print(_processor())
    print(f"| embedder | Spearman, {len(pairs)} pairs | µs per sentence |")
    print("|---|---|---|")
    for name, make in (
        (f"teacher, {embedder.dim}", lambda: embedder),
        ("static, 256, no texts", embedder.distill_static),
        (
            f"static, 256, {len(texts)} texts",
            lambda: embedder.distill_static(256, texts),
        ),
    ):
        one = make()
        found = one.evaluate(pairs, scores)["spearman"]
        print(f"| {name} | {found:.4f} | {_microseconds(one, pairs):.1f} |")
    questions, paragraphs, answers = _squad()
    queries, corpus = embedder.embed(questions), embedder.embed(paragraphs)
    print(f"| {len(paragraphs)} documents | bytes | nDCG@10 | share |")
    print("|---|---|---|---|")
    for dimensions in (embedder.dim, 128):
        for precision in ("float32", "int8", "binary"):
            codes = keras_bert.tasks.compress_vectors(
                corpus, dimensions, precision
            )
            ranked, _ = keras_bert.tasks.search(queries[:, :dimensions], codes)
            gain = _ndcg(ranked, answers)
            if (dimensions, precision) == (embedder.dim, "float32"):
                full = gain
            print(
                f"| {dimensions}, {precision} | {codes[0].nbytes} | "
                f"{gain:.4f} | {gain / full:.1%} |"
            )


def _processor():
    lines = _CPU_INFO.read_text().splitlines()
    return next(line for line in lines if line.startswith("model name"))


def _microseconds(embedder, pairs):
    texts = [text for pair in pairs for text in pair]
    num_times = 1 if embedder.pretrained.backbone.blocks else _REPETITIONS
    embedder.embed(texts)
    start = time.process_time()
    embedder.embed(texts * num_times)
    return 1e6 * (time.process_time() - start) / (num_times * len(texts))


def _squad():
    """Return questions, distinct paragraphs, and an index for each question."""
    examples = read_squad(_SQUAD_FILE.value)[: _QUESTIONS.value]
    places = {}
    for example in examples:
        places.setdefault(example.context, len(places))
    answers = [places[example.context] for example in examples]
    return [x.question for x in examples], [*places], np.array(answers)


def _ndcg(ranked, answers):
    """Return the mean nDCG of rankings with one relevant document each."""
    gains = 1 / np.log2(np.arange(ranked.shape[1]) + 2)
    return float(((ranked == answers[:, None]) * gains).sum(axis=1).mean())


if __name__ == "__main__":
    app.run(main)
