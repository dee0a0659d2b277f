"""The share of each piece of a text in an answer."""

import numpy as np

from keras_bert import features
from keras_bert.tasks.fine_tuning.columns import checked_texts
from keras_bert.tasks.fine_tuning.encoded import unpadded_rows
from keras_bert.text.packing import TEXT_NUMBERS
from keras_bert.text.packing import locate_pieces


def occlusion(task, text, pair=None):
    """Hides each piece in turn and tells how far the logits fall.

    A piece is hidden behind [MASK], or what plays its role, so that all
    others keep their places.

    Args:
        task: `TextClassifier` or `TextRegressor`. Of texts that are longer
            than its `seq_length`, the pieces that it keeps are hidden.
        text: str.
        pair: str, the second text of a pair, or None.

    Returns:
        A float32 array `(num_pieces, num_outputs)`, special tokens included:
        the logits of the whole text, less those without that piece. It is 0
        at special tokens, which are not hidden.

    Raises:
        ValueError: a text is no str.

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
