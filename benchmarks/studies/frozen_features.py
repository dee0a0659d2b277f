"""Compare the frozen features of a BERT and an ELMo with the same head.

    python benchmarks/studies/frozen_features.py --data_dir=data \\
        --bert_dir=bert-base-cased --elmo_options=elmo/options.json \\
        --elmo_weights=elmo/weights.hdf5

This repeats table 7 of BERT's paper (arXiv 1810.04805, section 5.3) on other
data: entities in WNUT-17, scored by the F1 of whole entities, and the sentiment
of SST-2, scored by accuracy, both on the development split. The encoders stay
frozen; the head of two bidirectional LSTMs and one dense layer is trained with
the same recipe for all rows. Each row is printed as soon as its runs end. A
model without flags is skipped. --data_dir has the layout of `fine_tune.py`.
"""

import pathlib
import statistics
import sys
import tempfile

import keras
from absl import app
from absl import flags

import keras_bert
from keras_bert.tasks import FeatureTextClassifier
from keras_bert.tasks import FeatureTokenClassifier

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import fine_tuning_tasks  # noqa: E402

_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Directory with a folder for each dataset.", required=True
)
_BERT_DIR = flags.DEFINE_string("bert_dir", None, "BERT checkpoint directory.")
_ELMO_OPTIONS = flags.DEFINE_string(
    "elmo_options", None, "ELMo's options.json."
)
_ELMO_WEIGHTS = flags.DEFINE_string(
    "elmo_weights", None, "ELMo's HDF5 weights."
)
_EPOCHS = flags.DEFINE_integer("epochs", 10, "Number of epochs.")
_SEEDS = flags.DEFINE_integer(
    "seeds", 3, "Number of seeds per row.", lower_bound=1
)
_MAX_EXAMPLES = flags.DEFINE_integer(
    "max_examples", None, "Maximum number of examples per split.", lower_bound=1
)
_KINDS = {"wnut17": FeatureTokenClassifier, "sst2": FeatureTextClassifier}


def main(_):
    data = {
        name: fine_tuning_tasks.read_splits(
            name, _DATA_DIR.value, _MAX_EXAMPLES.value
        )
        for name in _KINDS
    }
    print("| features | WNUT-17, F1 | SST-2, accuracy |\n|---|---|---|")
    for encoder, rows in _encoders():
        for row, arguments in rows.items():
            cells = [_cell(encoder, arguments, *x) for x in data.items()]
            print(f"| {row} | {' | '.join(cells)} |", flush=True)


def _encoders():
    """Yield each encoder with the arguments of its rows; load one at a time."""
    if _BERT_DIR.value:
        bert = keras_bert.from_pretrained(_BERT_DIR.value)
        depth = bert.config.depth
        last, layers = range(max(depth - 3, 1), depth + 1), range(1, depth + 1)
        yield (
            bert,
            {
                "BERT, embeddings": _weighted([0]),
                "BERT, last layer": _weighted([depth]),
                "BERT, last four, concatenated": {"layers": [*last]},
                "BERT, last four, weighted": _weighted(last),
                "BERT, all, weighted": _weighted(layers),
            },
        )
    if _ELMO_OPTIONS.value:
        elmo = keras_bert.checkpoints.read_elmo(
            _ELMO_OPTIONS.value, _ELMO_WEIGHTS.value
        )
        layers = range(elmo.config.n_layers + 1)
        yield (
            elmo,
            {
                "ELMo, words only": _weighted([0]),
                "ELMo, last layer": _weighted([layers[-1]]),
                "ELMo, all, weighted": _weighted(layers),
            },
        )


def _weighted(layers):
    return {"layers": [*layers], "combination": "weighted"}


def _cell(encoder, arguments, name, splits):
    """Return the mean score over the seeds, as text."""
    recipe = fine_tuning_tasks.TASKS[name]
    scores = []
    with tempfile.TemporaryDirectory() as states:
        for seed in range(_SEEDS.value):
            keras.utils.set_random_seed(seed)
            task = _KINDS[name](
                encoder,
                labels=fine_tuning_tasks.label_names(recipe.kind, splits),
                seq_length=min(recipe.seq_length, encoder.sequence_length()),
                cache_dir=states,
                lstm_size=256,
                **arguments,
            )
            task.fit(
                *splits["train"], epochs=_EPOCHS.value, seed=seed, verbose=0
            )
            found = task.evaluate(*splits["dev"])
            scores.append(100 * found[task.main_metric])
    text = f"{statistics.mean(scores):.1f}"
    if len(scores) > 1:
        text += f" ± {statistics.stdev(scores):.1f}"
    return text


if __name__ == "__main__":
    app.run(main)
