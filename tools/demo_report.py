"""Tries what the demo made and prints one screen.

    python tools/demo_report.py --output_dir=demo-output

The SavedModel answers in a fresh process that knows nothing of keras_bert,
and the TFLite file in an interpreter; both must agree with Python.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
from absl import flags

import keras_bert
from keras_bert import command_line
from keras_bert import features
from keras_bert.data.corpus.documents import read_documents
from keras_bert.text.vocabulary import MASK

_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "The directory of the demo.", required=True
)

_NUM_SENTENCES = 5
_TOLERANCE = 1e-4


def main():
    output = pathlib.Path(_OUTPUT_DIR.value)
    if not (output / "encoder.tflite").is_file():
        raise ValueError(
            "--output_dir must be of a finished demo.py. Received: "
            f"{str(output)!r}."
        )
    bert = keras_bert.from_pretrained(output / "bert")
    fill_mask = keras_bert.FillMask(bert, top_k=3)
    documents = list(read_documents([output / "corpus" / "eval.txt"]))
    vocabulary = bert.tokenizer.vocabulary
    examples = _masked_sentences(documents, vocabulary)
    print(_corpus_lines(output, documents, bert))
    print(_training_lines(output, vocabulary))
    print(_filling_lines(fill_mask, examples))
    texts = [text for text, _ in examples]
    print(_saved_model_line(output / "saved_model" / "1", fill_mask, texts))
    print(_tflite_line(output / "encoder.tflite", bert, texts))
    print(
        "\nGo on: put your own text in with make demo INPUT='texts/*.txt', "
        f"fill masks with\n  keras_bert.FillMask.from_pretrained("
        f"'{output}/bert')('Some text to [MASK].')\nand read README.md."
    )


def _corpus_lines(output, eval_documents, bert):
    train = [
        line
        for document in read_documents([output / "corpus" / "train.txt"])
        for line in document
    ]
    held_out = [line for document in eval_documents for line in document]
    vocabulary = bert.tokenizer.vocabulary
    unknown, pieces = keras_bert.data.measure_vocabulary(
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


def _training_lines(output, vocabulary):
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


def _masked_sentences(documents, vocabulary):
    """Held-out sentences with one known word masked, and that word."""
    examples = []
    for document in documents:
        words = document[0].decode().split()
        known = [
            index
            for index, word in enumerate(words[:-1])
            if index and len(word) > 3 and word in vocabulary
        ]
        if 6 <= len(words) <= 12 and known:
            index = known[len(known) // 2]
            text = " ".join([*words[:index], MASK, *words[index + 1 :]])
            examples.append((text, words[index]))
    if not examples:  # Not all texts have such sentences.
        return [(MASK, "nothing: no short sentence was held out")]
    stride = max(1, len(examples) // _NUM_SENTENCES)
    return examples[::stride][:_NUM_SENTENCES]


def _filling_lines(fill_mask, examples):
    lines = ["Filled in"]
    for text, word in examples:
        answers = ", ".join(
            f"{answer['token']} {answer['probability']:.2f}"
            for answer in fill_mask(text)[0]
        )
        lines += [f"  {text}", f"      {answers}   (was: {word})"]
    return "\n".join(lines)


def _saved_model_line(directory, fill_mask, texts):
    """Asks the SavedModel in a fresh process and compares."""
    program = pathlib.Path(__file__).with_name("query_saved_model.py")
    served = subprocess.run(
        [
            sys.executable,
            program,
            f"--model_dir={directory}",
            *(f"--text={text}" for text in texts),
        ],
        stdout=subprocess.PIPE,
        check=True,
    )
    tokens = json.loads(served.stdout)["tokens"]
    for text, answer in zip(texts, tokens):
        expected = [item["token"] for item in fill_mask(text)[0]]
        if answer[0][: len(expected)] != expected:
            raise ValueError(
                f"The SavedModel must answer as Python does. Received: "
                f"{answer[0]} instead of {expected} for {text!r}."
            )
    return (
        f"SavedModel   {directory}, {_megabytes(directory)}: a fresh process "
        "gives the same words"
    )


def _tflite_line(path, bert, texts):
    """Runs the TFLite file and compares its vectors."""
    import tensorflow_text as tf_text
    from ai_edge_litert.interpreter import InterpreterWithCustomOps

    interpreter = InterpreterWithCustomOps(
        model_path=str(path),
        custom_op_registerers=tf_text.tflite_registrar.SELECT_TFTEXT_OPS,
    )
    found = interpreter.get_signature_runner()(text=np.array(texts))
    encoder = keras_bert.tasks.TextEncoder(bert)
    expected = encoder.predict(encoder.preprocess(texts))
    difference = max(
        np.abs(found[name] - expected[name].numpy()).max() for name in found
    )
    if not difference < _TOLERANCE:
        raise ValueError(
            f"The TFLite file must give Python's vectors to {_TOLERANCE}. "
            f"Received: a difference of {difference}."
        )
    return (
        f"TFLite       {path}, {_megabytes(path)}: the same vectors to "
        f"{difference:.0e}"
    )


def _megabytes(path):
    files = [path] if path.is_file() else path.rglob("*")
    size = sum(file.stat().st_size for file in files if file.is_file())
    return f"{size / 1e6:.1f} MB"


if __name__ == "__main__":
    command_line.run(main)
