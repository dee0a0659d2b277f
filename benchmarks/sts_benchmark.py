"""Evaluate a text embedder on the STS benchmark.

    python benchmarks/sts_benchmark.py --input_file=sts-test.csv \\
        --model_dir=sentence-transformers/all-MiniLM-L6-v2

--input_file is sts-test.csv of the published STS benchmark: tab-separated
columns. The fifth column is the similarity score, and the next two are the
sentences. The program prints the correlations of cosines and scores in float32.
MTEB publishes Spearman 0.8203247 and Pearson 0.8274064 for the model above.
"""

import pathlib

from absl import app
from absl import flags

import keras_bert

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "The file sts-test.csv.", required=True
)
_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Model directory or name on the Hub.", required=True
)


def main(_):
    pairs, scores = read_pairs(_INPUT_FILE.value)
    embedder = keras_bert.TextEmbedder.from_pretrained(_MODEL_DIR.value)
    found = embedder.evaluate(pairs, scores)
    print(
        f"{len(pairs)} pairs: Spearman {found['spearman']:.7f}, "
        f"Pearson {found['pearson']:.7f}"
    )


def read_pairs(path):
    """Return the pairs of sentences and their scores from 0 to 1, two lists.

    Raises:
        ValueError: a line has too few columns or no score.
    """
    pairs, scores = [], []
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            _, _, _, _, score, first, second, *_ = line.split("\t")
            scores.append(float(score) / 5)
        except ValueError:
            raise ValueError(
                f"{path}, line {number}, must have seven columns with a score "
                f"in the fifth. Received: {line[:80]!r}."
            ) from None
        pairs.append((first, second))
    return pairs, scores


if __name__ == "__main__":
    app.run(main)
