"""Fill masks with the tiny BERT of the library.

    keras-bert try --text='The function returns a [MASK] of strings.'

It runs the tiny model of the library, which was pre-trained only on the
documentation of Python packages. No network is needed.
"""

import numpy as np

import keras_bert
from keras_bert import command_line

PROGRAM = command_line.Program(__doc__)

_TEXT = PROGRAM.multi_string(
    "text",
    ["The function returns a [MASK] of strings."],
    "Text with [MASK]; may be repeated.",
)
_QUESTION = "Where do I find the files on disk?"
_ANSWERS = (
    "The path of the directory.",
    "The gradient of the loss.",
    "The number of dimensions.",
)


def main():
    command_line.import_quietly("keras")
    bert = keras_bert.from_pretrained(keras_bert.TINY_MODEL)
    count = bert.pretrainer.count_params() / 1e6
    print(f"A tiny BERT of {count:.1f} million parameters. It fills masks,")
    fill_mask = keras_bert.FillMask(bert, top_k=3)
    for text in _TEXT.value:
        print(f"\n  {text}")
        for filling in fill_mask(text):
            print("    " + "   ".join(map(_shown, filling)))
    print(f"\nand ranks texts by their similarity to\n\n  {_QUESTION}")
    embedder = keras_bert.TextEmbedder(bert, normalize=True)
    question, *answers = embedder.embed([_QUESTION, *_ANSWERS])
    scores = np.stack(answers) @ question
    for index in np.argsort(-scores):
        print(f"    {scores[index]:.2f}  {_ANSWERS[index]}")
    print(f"\nModel card: {keras_bert.TINY_MODEL / 'README.md'}")
    print("Other models: keras-bert fill_mask --help, keras-bert embed --help")


def _shown(prediction):
    return f"{prediction['text']} {100 * prediction['probability']:.0f} %"
