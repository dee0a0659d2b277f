"""Fill masked words with BERT, a left-to-right model and ELMo.

    python benchmarks/studies/three_ways.py --eval_file=corpus/eval.txt \\
        --left_to_right_dir=runs/left_to_right --elmo_dir=runs/elmo

The program writes `docs/figures/three_ways.json`. `docs/figures/draw.py` reads
it and draws the tables and the figure of docs/three_ways.md, which has the
commands for the corpus and the models. All models use one vocabulary.

One word is masked in each held-out sentence, as in the demo. All models choose
among the words that are one piece without punctuation. The file contains the
predictions for the first sentence that all models fill correctly, for the first
sentences that only one of them fills correctly, and for the sentence of --text.
"""

import json
import pathlib

import numpy as np
import word_models
from absl import app
from absl import flags
from keras import ops

import keras_bert
from keras_bert import features
from keras_bert.cli.demo_report import masked_sentences
from keras_bert.pretraining.corpus.documents import read_documents

_EVAL_FILE = flags.DEFINE_string(
    "eval_file", None, "Held-out text, one sentence per line.", required=True
)
_BERT_DIR = flags.DEFINE_string(
    "bert_dir", str(keras_bert.TINY_MODEL), "Checkpoint of a masked LM."
)
_LEFT_TO_RIGHT_DIR = flags.DEFINE_string(
    "left_to_right_dir",
    None,
    "Checkpoint of a left-to-right BERT.",
    required=True,
)
_ELMO_DIR = flags.DEFINE_string(
    "elmo_dir", None, "Output directory of elmo_training.py.", required=True
)
_TEXT = flags.DEFINE_string(
    "text", "The [MASK] by the river was steep.", "Text with [MASK]."
)
_NUM_TEXTS = flags.DEFINE_integer(
    "num_texts", 2000, "Number of held-out sentences."
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file",
    str(pathlib.Path(__file__).parents[2] / "docs/figures/three_ways.json"),
    "Output file.",
)
_MASK = "[MASK]"
_NUM_SHOWN = 5
# Stands for the mask in ELMo, which has none; neither direction reads it.
_UNSEEN = "maskedword"


def main(_):
    bert = keras_bert.from_pretrained(_BERT_DIR.value)
    other = keras_bert.from_pretrained(_LEFT_TO_RIGHT_DIR.value)
    vocabulary = bert.tokenizer.vocabulary
    elmo = word_models.WordModels.load(_ELMO_DIR.value, vocabulary)
    documents = read_documents([_EVAL_FILE.value])
    examples = masked_sentences([*documents], vocabulary)
    examples = [x for x in examples if x[1] in elmo.words]
    examples = examples[:: -(-len(examples) // _NUM_TEXTS.value)]
    texts = [_TEXT.value, *(text for text, _ in examples)]
    found = _both_elmo(elmo, texts)
    found = {
        "BERT, both sides": _shares(bert, elmo.words, texts, 0),
        "left to right": _shares(other, elmo.words, texts, -1),
        **found,
    }
    chosen = {name: shares.argmax(-1) for name, shares in found.items()}
    labels = np.array([elmo.words.index(word) for _, word in examples])
    right = {name: best[1:] == labels for name, best in chosen.items()}
    rows = {0: _TEXT.value}
    rows.update(_selected_rows(right, examples))
    result = {
        "weights": {
            "BERT, both sides": bert.pretrainer.count_params(),
            "left to right": other.pretrainer.count_params(),
            "ELMo": elmo.model.count_params(),
        },
        "num_texts": len(examples),
        "num_words": len(elmo.words),
        "right": {name: round(x.mean(), 4) for name, x in right.items()},
        "sentences": [
            {
                "text": text,
                "word": examples[row - 1][1] if row else "",
                "filled": {
                    name: _best(elmo.words, shares[row])
                    for name, shares in found.items()
                },
            }
            for row, text in rows.items()
        ],
        "attention": {
            "BERT": _attention(bert, _TEXT.value),
            "left to right": _attention(other, _TEXT.value),
        },
    }
    lines = [f'"{key}": {json.dumps(x)}' for key, x in result.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    pathlib.Path(_OUTPUT_FILE.value).write_text(text, encoding="utf-8")


def _shares(pretrained, words, texts, offset):
    """Return word probabilities at the masks, `(num_texts, num_words)`.

    `offset` is the distance from the mask to the position that predicts it: -1
    for a left-to-right model.
    """
    task = keras_bert.FillMask(pretrained)
    ids = [pretrained.tokenizer.vocabulary.id_of(word) for word in words]
    mask_id = pretrained.tokenizer.vocabulary.id_of(_MASK)
    found = []
    for start in range(0, len(texts), 64):
        inputs = task.preprocess(texts[start : start + 64])
        inputs = {name: x.numpy() for name, x in inputs.items()}
        rows = inputs[features.INPUT_IDS.name]
        positions = (rows == mask_id).argmax(axis=1)[:, None] + offset
        inputs = {name: inputs[name] for name in task.input_names}
        inputs[features.MASKED_LM_POSITIONS.name] = positions.astype("int32")
        logits = pretrained.pretrainer(inputs)["mlm_logits"][:, 0]
        logits = ops.take(logits, np.array(ids), axis=1)
        found.append(ops.convert_to_numpy(ops.softmax(logits)))
    return np.concatenate(found)


def _both_elmo(elmo, texts):
    """Return `_shares` of both directions of an ELMo and of their product."""
    cut = [
        word_models.cut_words(text.replace(_MASK, f" {_UNSEEN} "))
        for text in texts
    ]
    places = [text.split().index(_UNSEEN) for text in cut]
    left, right = np.moveaxis(elmo.probabilities(cut, places), 1, 0)
    product = left * right
    return {
        "ELMo, left side": left,
        "ELMo, right side": right,
        "ELMo, both multiplied": product / product.sum(-1, keepdims=True),
    }


def _selected_rows(right, examples):
    """Return the first texts that all models or only one fill correctly."""
    bert, other, _, _, elmo = right.values()
    wanted = {
        "all": bert & other & elmo,
        "BERT": bert & ~other & ~elmo,
        "left to right": other & ~bert & ~elmo,
        "ELMo": elmo & ~bert & ~other,
    }
    rows = [int(x.argmax()) for x in wanted.values() if x.any()]
    return {row + 1: examples[row][0] for row in rows}


def _best(words, shares):
    best = np.argsort(-shares)[:_NUM_SHOWN]
    return [[words[index], round(float(shares[index]), 3)] for index in best]


def _attention(pretrained, text):
    """Return the pieces and the mean attention weights of each layer."""
    task = keras_bert.FillMask(pretrained)
    inputs = {name: x.numpy() for name, x in task.preprocess([text]).items()}
    length = inputs[features.INPUT_MASK.name].sum()
    inputs = {name: x[:, :length] for name, x in inputs.items()}
    weights = pretrained.backbone.attention_weights(inputs)
    tokens = pretrained.tokenizer.vocabulary.tokens
    maps = [ops.convert_to_numpy(ops.mean(x, axis=1))[0] for x in weights]
    return {
        "pieces": [tokens[index] for index in inputs["input_ids"][0]],
        "maps": [np.round(x.astype(float), 2).tolist() for x in maps],
    }


if __name__ == "__main__":
    app.run(main)
