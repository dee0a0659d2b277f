"""Occlusion: the contribution of each word piece to the logits."""

import numpy as np

from keras_bert import features
from keras_bert.tasks.fine_tuning.columns import checked_texts
from keras_bert.tasks.fine_tuning.encoded import unpadded_rows
from keras_bert.text.packing import TEXT_NUMBERS
from keras_bert.text.packing import locate_pieces


def occlusion(task, text, pair=None):
    """Mask each word piece in turn and return the decrease of the logits.

    [MASK], or the mask token of the family, replaces a piece, so that the
    positions of the others do not change.

    Args:
        task: `TextClassifier` or `TextRegressor`. Long texts are truncated to
            its `seq_length`.
        text: str.
        pair: str, the second text of a pair, or None.

    Returns:
        A float32 array `(num_pieces, num_outputs)`: the logits of the text
        minus the logits without the piece. Special tokens are not masked;
        their rows are 0.

    Raises:
        ValueError: a text is not a str.

    References:
        [Visualizing and Understanding Convolutional Networks](
        https://arxiv.org/abs/1311.2901), section 4.2
    """
    pairs = None if pair is None else checked_texts([pair])
    located = locate_pieces(task.preprocess, checked_texts([text]), pairs)
    located = {name: x.numpy() for name, x in located.items()}
    (places,) = np.nonzero(located[TEXT_NUMBERS][0])
    rows = {
        name: np.repeat(located[name], len(places) + 1, axis=0)
        for name in task.pretrained.backbone.inputs
    }
    vocabulary = task.preprocess.tokenizer.vocabulary
    hidden = np.arange(1, len(places) + 1)
    mask_id = vocabulary.id_of(vocabulary.roles["mask"])
    rows[features.INPUT_IDS.name][hidden, places] = mask_id
    logits = task.row_logits(unpadded_rows(task.preprocess, [rows]))
    num_pieces = int(located[features.INPUT_MASK.name].sum())
    effects = np.zeros((num_pieces, task.answer.num_outputs), np.float32)
    first = np.argmax(located[features.INPUT_MASK.name][0])
    effects[places - first] = logits[0] - logits[1:]
    return effects
