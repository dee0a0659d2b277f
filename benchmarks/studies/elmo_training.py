"""Train a small ELMo: two LSTM language models over the same words.

    python benchmarks/studies/elmo_training.py --input_file=corpus/train.txt \\
        --vocab_file=vocab.txt --output_dir=runs/elmo

The library reads published ELMos but does not train them. This program is for
docs/three_ways.md, which compares ELMo with BERT on the same text, the corpus
of `tools/collect_corpus.py`. A row contains as many sentences of one document
as fit. The models learn to predict the words that are one piece of the
vocabulary; other words have weight 0.
"""

import pathlib

import keras
import tensorflow as tf
import word_models
from absl import app
from absl import flags

import keras_bert
from keras_bert.pretraining.corpus.documents import read_documents

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Text, one sentence per line.", required=True
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "WordPiece vocabulary.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Output directory for the model.", required=True
)
_NUM_TRAIN_STEPS = flags.DEFINE_integer(
    "num_train_steps", 2500, "Number of steps."
)
_BATCH_SIZE = flags.DEFINE_integer(
    "train_batch_size", 64, "Number of rows per step."
)
_LEARNING_RATE = flags.DEFINE_float(
    "learning_rate", 2e-3, "Peak learning rate."
)
_NUM_EPOCHS = 20  # Points of the learning curve.


def main(_):
    output = pathlib.Path(_OUTPUT_DIR.value)
    output.mkdir(parents=True, exist_ok=True)
    keras.utils.set_random_seed(12345)
    vocabulary = keras_bert.text.Vocabulary.from_file(_VOCAB_FILE.value)
    models = word_models.WordModels(vocabulary)
    rate = keras.optimizers.schedules.CosineDecay(
        *(0.0, _NUM_TRAIN_STEPS.value),
        warmup_target=_LEARNING_RATE.value,
        warmup_steps=100,
    )
    models.model.compile(
        keras.optimizers.Adam(rate, global_clipnorm=10.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=["sparse_categorical_accuracy"],
    )
    models.model.fit(
        _batches(models),
        steps_per_epoch=max(_NUM_TRAIN_STEPS.value // _NUM_EPOCHS, 1),
        epochs=_NUM_EPOCHS,
        verbose=2,
    )
    models.model.save_weights(output / word_models.WEIGHTS)


def _batches(models):
    """Return batches of inputs, labels for both directions, and weights."""
    keys = tf.lookup.KeyValueTensorInitializer(
        models.words, tf.range(len(models.words))
    )
    table = tf.lookup.StaticHashTable(keys, -1)

    def labelled(texts):
        words = models.preprocess.tokenizer(texts)
        ids = table.lookup(words.to_tensor())[:, : word_models.NUM_WORDS]
        width = word_models.NUM_WORDS + 1 - tf.shape(ids)[1]
        ids = tf.pad(ids, [(0, 0), (1, width)], constant_values=-1)
        ids = tf.stack([ids, ids], axis=2)
        weights = tf.cast(ids >= 0, tf.float32)
        return models.preprocess(texts), tf.maximum(ids, 0), weights

    rows = _rows(_INPUT_FILE.value)
    texts = tf.data.Dataset.from_tensor_slices(rows)
    texts = texts.shuffle(len(rows), seed=1).repeat()
    batches = texts.batch(_BATCH_SIZE.value, drop_remainder=True)
    return batches.map(labelled).prefetch(2)


def _rows(path):
    """Return texts, each with as many sentences of a document as fit."""
    rows = []
    for document in read_documents([path]):
        row = []
        for sentence in document:
            words = word_models.cut_words(sentence.decode()).split()
            if row and len(row) + len(words) > word_models.NUM_WORDS:
                rows.append(" ".join(row))
                row = []
            row += words
        rows.append(" ".join(row))
    return rows


if __name__ == "__main__":
    app.run(main)
