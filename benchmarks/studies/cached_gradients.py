"""Measure the memory and time of training an embedder with large batches.

    python benchmarks/studies/cached_gradients.py --sizes=32,1024:32

Each size is a batch size, and a mini-batch size after a colon if gradients are
cached. A new process for each one trains an embedder of six layers of size 384,
with random weights, for two steps on pairs of 32 tokens. It prints the seconds
of the second step, and the peak memory in MiB.
"""

import pathlib
import sys

from absl import app
from absl import flags

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402

_SIZES = flags.DEFINE_list(
    "sizes", ["32", "256", "256:32", "1024:32"], "Batch sizes."
)

_PROGRAM = """
import resource, sys, time
import keras
import numpy as np
import keras_bert

batch_size, _, mini_batch_size = sys.argv[1].partition(":")
batch_size = int(batch_size)
words = [f"word{n}" for n in range(30000)]
vocabulary = keras_bert.text.Vocabulary(
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
)
config = keras_bert.BertConfig(
    vocab_size=len(vocabulary), hidden_size=384, num_hidden_layers=6,
    num_attention_heads=12, intermediate_size=1536,
)
embedder = keras_bert.TextEmbedder(
    keras_bert.checkpoints.PretrainedModel.from_config(
        config, keras_bert.text.BertTokenizer(vocabulary), ["pooler"]
    )
)
random = np.random.default_rng(0)
texts = [" ".join(random.choice(words, 30)) for _ in range(2 * batch_size)]
times = []
embedder.fit(
    [*zip(texts[::2], texts[1::2])],
    batch_size=batch_size,
    epochs=2,
    mini_batch_size=int(mini_batch_size) if mini_batch_size else None,
    callbacks=[keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda *_: times.append(time.perf_counter())
    )],
    verbose=0,
)
seconds = time.perf_counter() - times[-1]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{sys.argv[1]:>8}: {seconds:.1f} s, {peak:,.0f} MiB")
"""


def main(_):
    for size in _SIZES.value:
        print(measuring.output([sys.executable, "-c", _PROGRAM, size]))


if __name__ == "__main__":
    app.run(main)
