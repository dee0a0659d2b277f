"""Fine-tunes pre-trained ablations of BERT and prints them in one table.

    python benchmarks/ablations.py --run_dir=runs/mlm_nsp,runs/mlm,runs/ltr \\
        --train_file=sst2/train.tsv --dev_file=sst2/dev.tsv

A run is an output directory of `run_pretraining.py`, one for each objective;
configs/ablations.flags has the commands. A line of the files is a text, or a
text and its pair, and a label, with tabs between. The classifier reads the
vectors of the first and the last token, so that a left-to-right model has seen
the whole text too. Left-to-right models are tuned a second time with a BiLSTM
on top, as in the paper (arXiv 1810.04805, section 5.1).
"""

import json
import pathlib

import keras
import numpy as np
from absl import app
from absl import flags

import keras_bert
from keras_bert.layers.positions import gather_positions

_RUN_DIR = flags.DEFINE_list(
    "run_dir", None, "Output directories of run_pretraining.", required=True
)
_TRAIN_FILE = flags.DEFINE_string("train_file", None, "TSV.", required=True)
_DEV_FILE = flags.DEFINE_string("dev_file", None, "TSV.", required=True)
_EPOCHS = flags.DEFINE_integer("epochs", 4, "Passes over the file.")
_LEARNING_RATE = flags.DEFINE_float("learning_rate", 5e-4, "Its peak.")
_SEEDS = flags.DEFINE_integer("seeds", 3, "Runs, of which the mean counts.")
_SEQ_LENGTH = flags.DEFINE_integer("seq_length", 64, "Longer ones are cut.")

_BATCH_SIZE = 32


def main(_):
    print("| model | loss | accuracy | fine-tuned |")
    print("|---|---|---|---|")
    for directory in _RUN_DIR.value:
        bert = keras_bert.from_pretrained(directory)
        train = _read(_TRAIN_FILE.value, bert.tokenizer)
        dev = _read(_DEV_FILE.value, bert.tokenizer)
        points = pathlib.Path(directory, "metrics.jsonl").read_text()
        points = [json.loads(line) for line in points.splitlines()]
        last = [point for point in points if point["split"] == "eval"][-1]
        for has_lstm in [False, True] if bert.config.is_decoder else [False]:
            accuracies = [
                _fine_tune(directory, train, dev, has_lstm, seed)
                for seed in range(_SEEDS.value)
            ]
            name = pathlib.Path(directory).name + " + BiLSTM" * has_lstm
            print(
                f"| {name} | {last['mlm_loss']:.2f} | "
                f"{last['mlm_accuracy']:.1%} | {np.mean(accuracies):.1%} "
                f"± {np.std(accuracies):.1%} |",
                flush=True,
            )


def _fine_tune(directory, train, dev, has_lstm, seed):
    """Accuracy on the development file."""
    keras.utils.set_random_seed(seed)
    encoder = keras_bert.from_pretrained(directory).encoder
    inputs, labels = train
    model = _classifier(encoder, has_lstm, int(labels.max()) + 1)
    num_steps = _EPOCHS.value * -(-len(labels) // _BATCH_SIZE)
    schedule = keras_bert.training.LinearWarmupDecay(
        _LEARNING_RATE.value, num_steps, num_steps // 10
    )
    model.compile(
        keras_bert.training.bert_adamw(model, schedule),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(inputs, labels, _BATCH_SIZE, _EPOCHS.value, verbose=0)
    return model.evaluate(*dev, 256, verbose=0)[1]


def _read(path, tokenizer):
    """Encoder inputs and labels of a file."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    *texts, labels = zip(*(line.split("\t") for line in lines))
    preprocess = keras_bert.text.BertPreprocessor(
        tokenizer, seq_length=_SEQ_LENGTH.value
    )
    inputs = preprocess(*(list(column) for column in texts))
    inputs = {name: value.numpy() for name, value in inputs.items()}
    return inputs, np.array(labels, np.int32)


def _classifier(encoder, has_lstm, num_classes):
    inputs = {
        name: keras.Input((_SEQ_LENGTH.value,), dtype="int32", name=name)
        for name in encoder.input
    }
    hidden = encoder(inputs)["sequence_output"]
    mask = inputs["input_mask"]
    if has_lstm:
        lstm = keras.layers.LSTM(hidden.shape[-1], return_sequences=True)
        hidden = keras.layers.Bidirectional(lstm)(hidden, mask=mask > 0)
    last = keras.ops.sum(mask, axis=1, keepdims=True) - 1
    ends = keras.ops.concatenate([keras.ops.zeros_like(last), last], axis=1)
    ends = keras.layers.Flatten()(gather_positions(hidden, ends))
    ends = keras.layers.Dropout(0.1)(ends)
    return keras.Model(inputs, keras.layers.Dense(num_classes)(ends))


if __name__ == "__main__":
    app.run(main)
