"""What the demo tells of its corpus and its training."""

import json

import numpy as np

from keras_bert import data
from keras_bert import features
from keras_bert.data.corpus.documents import read_documents


def corpus_text(output, eval_documents, bert):
    """The corpus, the vocabulary and the records, as lines of text.

    Args:
        output: `pathlib.Path`, the directory of the demo.
        eval_documents: list of lists of bytes, the sentences held out.
        bert: the model that was trained.
    """
    train = [
        line
        for document in read_documents([output / "corpus" / "train.txt"])
        for line in document
    ]
    held_out = [line for document in eval_documents for line in document]
    vocabulary = bert.tokenizer.vocabulary
    unknown, pieces = data.measure_vocabulary(
        vocabulary, held_out, bert.tokenizer.lowercase
    )
    num_examples, _ = _masked_ids(output / "train.tfrecord", vocabulary)
    megabytes = (sum(map(len, train)) + len(train)) / 1e6
    return (
        f"\nCorpus       {megabytes:.1f} MB, {len(train):,} sentences to train "
        f"on; {len(held_out):,} held out\n"
        f"Vocabulary   {len(vocabulary):,} word pieces; on held-out text "
        f"{100 * unknown:.2f} % unknown, {pieces:.2f} pieces per word\n"
        f"Examples     {num_examples:,} of at most "
        f"{bert.sequence_length()} tokens"
    )


def training_text(output, vocabulary):
    """What the training came to, as lines of text.

    Args:
        output: `pathlib.Path`, the directory of the demo.
        vocabulary: `Vocabulary`.
    """
    lines = (output / "bert" / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    train = [point for point in points if point["split"] == "train"]
    before, after = (p for p in points if p["split"] == "eval")
    shown = [train[round(i)] for i in np.linspace(0, len(train) - 1, 8)]
    _, train_ids = _masked_ids(output / "train.tfrecord", vocabulary)
    _, eval_ids = _masked_ids(output / "eval.tfrecord", vocabulary)
    baseline = np.mean(eval_ids == np.bincount(train_ids).argmax())
    return (
        f"Training     step     {_row(shown, 'step', '{:7d}')}\n"
        f"             MLM loss {_row(shown, 'mlm_loss', '{:7.2f}')}"
        f"   (curves: {output}/training.png)\n"
        f"Held out     MLM loss {before['mlm_loss']:.2f} -> "
        f"{after['mlm_loss']:.2f}, MLM accuracy "
        f"{100 * before['mlm_accuracy']:.1f} % -> "
        f"{100 * after['mlm_accuracy']:.1f} % (always the commonest word: "
        f"{100 * baseline:.1f} %)\n"
        f"             NSP accuracy {100 * before['nsp_accuracy']:.1f} % -> "
        f"{100 * after['nsp_accuracy']:.1f} %"
    )


def _row(points, key, form):
    return " ".join(form.format(point[key]) for point in points)


def _masked_ids(path, vocabulary):
    """The number of records of a file and all ids to predict in it."""
    # Late, so that the manual is there at once.
    from keras_bert.data.records.validation import read_checked_records

    name = features.MASKED_LM_IDS.name
    batches = read_checked_records(str(path), vocabulary)
    ids = np.concatenate([values[name] for values in batches])
    return len(ids), ids[ids > 0]
