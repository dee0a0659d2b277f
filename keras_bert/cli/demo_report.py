"""Report on the corpus, training and exports of the demo.

    keras-bert demo_report --output_dir=demo-output

The SavedModel runs in a new process without keras_bert, the TFLite file in a
LiteRT interpreter. Their outputs are compared with the Python model.
"""

import collections
import itertools
import json
import pathlib
import subprocess
import sys

import numpy as np

import keras_bert
from keras_bert import command_line
from keras_bert import features
from keras_bert import pretraining
from keras_bert.pretraining.corpus.documents import read_documents
from keras_bert.text.wordpiece.vocabulary import MASK

PROGRAM = command_line.Program(__doc__)

_OUTPUT_DIR = PROGRAM.required("output_dir", "Output directory of the demo.")

_NUM_SENTENCES = 5
_NUM_FREQUENT = 50
_MAX_MASKED = 6000
_MASKED_AT_ONCE = 64
_TOLERANCE = 1e-4


def main():
    output = pathlib.Path(_OUTPUT_DIR.value)
    tflite_file = output / "encoder_text.tflite"
    if not tflite_file.is_file():
        raise ValueError(
            "`output_dir` must be the output of a finished demo. Received: "
            f"output_dir={str(output)!r}."
        )
    command_line.import_quietly("keras")
    bert = keras_bert.from_pretrained(output / "bert")
    fill_mask = keras_bert.FillMask(bert, top_k=3)
    documents = list(read_documents([output / "corpus" / "eval.txt"]))
    vocabulary = bert.tokenizer.vocabulary
    examples = masked_sentences(documents, vocabulary)
    share, best = best_known(fill_mask, examples)
    print(corpus_text(output, documents, bert))
    print(training_text(output, vocabulary))
    print(filled_text(fill_mask, share, best))
    texts = [text for text, *_ in best]
    program = pathlib.Path(__file__).with_name("query_saved_model.py")
    directory = output / "saved_model" / "1"
    print(saved_model_text(directory, program, fill_mask, texts))
    print(tflite_text(tflite_file, bert, texts))
    print(
        "\nNext: train on your own text with --input_file='texts/*.txt' (make "
        "demo INPUT='texts/*.txt'), fill "
        "masks with\n  keras_bert.FillMask.from_pretrained("
        f"'{output}/bert')('Some text to [MASK].')\nand read README.md."
    )


def corpus_text(output, eval_documents, bert):
    """Describe the corpus, vocabulary and records.

    `eval_documents` is a list with a list of sentences (bytes) for each
    document.
    """
    train_documents = read_documents([output / "corpus" / "train.txt"])
    train = [*itertools.chain.from_iterable(train_documents)]
    held_out = [*itertools.chain.from_iterable(eval_documents)]
    vocabulary = bert.tokenizer.vocabulary
    unknown, pieces = pretraining.measure_vocabulary(
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
    """Describe the losses and held-out accuracies."""
    lines = (output / "bert" / "metrics.jsonl").read_text("utf-8").splitlines()
    points = [json.loads(line) for line in lines]
    train = [point for point in points if point["split"] == "train"]
    before, after = (p for p in points if p["split"] == "eval")
    shown = [train[round(i)] for i in np.linspace(0, len(train) - 1, 8)]
    steps = " ".join(f"{point['step']:7d}" for point in shown)
    losses = " ".join(f"{point['mlm_loss']:7.2f}" for point in shown)
    _, train_ids = _masked_ids(output / "train.tfrecord", vocabulary)
    _, eval_ids = _masked_ids(output / "eval.tfrecord", vocabulary)
    baseline = np.mean(eval_ids == np.bincount(train_ids).argmax())
    return (
        f"Training     step     {steps}\n"
        f"             MLM loss {losses}"
        f"   (curves: {output}/training.png)\n"
        f"Held out     MLM loss {before['mlm_loss']:.2f} -> "
        f"{after['mlm_loss']:.2f}, MLM accuracy "
        f"{100 * before['mlm_accuracy']:.1f} % -> "
        f"{100 * after['mlm_accuracy']:.1f} % (most frequent token: "
        f"{100 * baseline:.1f} %)"
    )


def _masked_ids(path, vocabulary):
    """Return the number of records in a file and their masked-LM labels."""
    # Import late, so that --help is fast.
    from keras_bert.pretraining.records.validation import read_checked_records

    name = features.MASKED_LM_IDS.name
    batches = read_checked_records(str(path), vocabulary)
    ids = np.concatenate([values[name] for values in batches])
    return len(ids), ids[ids > 0]


def masked_sentences(documents, vocabulary):
    """Mask each known word of more than three letters in short sentences.

    Each example masks a single word, so a sentence gives several examples.

    Args:
        documents: list with a list of sentences (bytes) for each document.
        vocabulary: `Vocabulary`.

    Returns:
        A list of at most 6,000 (text, masked word) pairs, spread evenly over
        the documents.
    """
    examples = []
    for sentence in itertools.chain.from_iterable(documents):
        words = sentence.decode().split()
        if not 6 <= len(words) <= 12:
            continue
        for index, word in enumerate(words[1:-1], start=1):
            if len(word) > 3 and word in vocabulary:
                text = " ".join([*words[:index], MASK, *words[index + 1 :]])
                examples.append((text, word))
    if not examples:  # Some corpora have no such sentences.
        return [(MASK, "nothing: no short sentence was held out")]
    return examples[:: -(-len(examples) // _MAX_MASKED)]


def best_known(fill_mask, examples):
    """Find the words with the highest prediction accuracy.

    The best five of the 50 words that are masked most often are returned.

    Args:
        fill_mask: `FillMask`.
        examples: list, as returned by `masked_sentences`.

    Returns:
        The accuracy over all masks, and a list of tuples: a text (the first
        with a correct prediction, or the first one), the word, the number of
        correct predictions and the number of masks.
    """
    texts_of = collections.defaultdict(list)
    for start in range(0, len(examples), _MASKED_AT_ONCE):
        some = examples[start : start + _MASKED_AT_ONCE]
        inputs = fill_mask.preprocess([text for text, _ in some])
        tokens = fill_mask.predict_ids(inputs)["tokens"].numpy()[:, 0, 0]
        for (text, word), token in zip(some, tokens, strict=True):
            texts_of[word].append((token.decode() == word, text))
    rows = [
        # `max` returns the first of several equal items.
        (max(x, key=lambda y: y[0])[1], word, sum(y for y, _ in x), len(x))
        for word, x in texts_of.items()
    ]
    share = sum(right for *_, right, _ in rows) / len(examples)
    frequent = sorted(rows, key=lambda row: -row[3])[:_NUM_FREQUENT]
    best = sorted(frequent, key=lambda row: -row[2] / row[3])
    return share, best[:_NUM_SENTENCES]


def filled_text(fill_mask, share, best):
    """Describe the predictions for the examples that `best_known` returned."""
    lines = [
        f"Fill-mask    {100 * share:.0f} % accuracy on words of more than "
        "three letters in short held-out sentences\n"
        "             (MLM accuracy also counts short words, punctuation and "
        "unmasked tokens).\n"
        f"             Best of the {_NUM_FREQUENT} most frequent words:"
    ]
    for text, word, num_right, num_masks in best:
        answers = ", ".join(
            f"{answer['token']} {answer['probability']:.2f}"
            for answer in fill_mask(text)[0]
        )
        was = f"label: {word}, {num_right} of {num_masks} correct"
        lines.append(f"  {text}\n      {answers}   ({was})")
    return "\n".join(lines)


def saved_model_text(directory, program, fill_mask, texts):
    """Query the SavedModel in a new process and compare with `fill_mask`.

    Returns:
        A line of text.

    Raises:
        ValueError: the predictions differ.
    """
    flags = [f"--model_dir={directory}", *(f"--text={x}" for x in texts)]
    served = subprocess.check_output([sys.executable, program, *flags])
    tokens = json.loads(served)["tokens"]
    for text, answer in zip(texts, tokens, strict=True):
        expected = [item["token"] for item in fill_mask(text)[0]]
        if answer[0][: len(expected)] != expected:
            raise ValueError(
                "The SavedModel must predict the same words as the Python "
                f"model. Received: {answer[0]} instead of {expected} for "
                f"{text!r}."
            )
    return (
        f"SavedModel   {directory}, {_megabytes(directory)}: same words in a "
        "new process"
    )


def tflite_text(path, bert, texts):
    """Run the TFLite file and compare its vectors with the model.

    Returns:
        A line of text.

    Raises:
        ValueError: the vectors differ.
    """
    # Import late, so that --help is fast.
    import tensorflow_text as tf_text
    from ai_edge_litert.interpreter import InterpreterWithCustomOps

    from keras_bert.tasks import FeatureExtractor

    interpreter = InterpreterWithCustomOps(
        model_path=str(path),
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
    )
    outputs = interpreter.get_signature_runner()(text=np.array(texts))
    encoder = FeatureExtractor(bert)
    expected = encoder.predict_ids(encoder.preprocess(texts))
    difference = 0.0
    for name, vectors in outputs.items():
        # TFLite pads only to the longest text.
        rows = expected[name].numpy()[tuple(map(slice, vectors.shape))]
        difference = max(difference, np.abs(vectors - rows).max())
    if not difference < _TOLERANCE:
        raise ValueError(
            "The vectors of the TFLite file and of the Python model must "
            f"agree within {_TOLERANCE}. Received: a difference of "
            f"{difference}."
        )
    return (
        f"TFLite       {path}, {_megabytes(path)}: same vectors up to "
        f"{difference:.0e}"
    )


def _megabytes(path):
    files = [path] if path.is_file() else path.rglob("*")
    size = sum(file.stat().st_size for file in files if file.is_file())
    return f"{size / 1e6:.1f} MB"
