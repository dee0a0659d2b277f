"""Occlusion scores for word pieces."""

import numpy as np

from keras_bert import features
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.training.encoded import rows_of
from keras_bert.text.templates import TEXT_NUMBERS
from keras_bert.text.templates import locate_pieces


def occlusion(task, text, pair=None):
    """Compute how much the logits decrease if each word piece is masked.

    The model's mask token, such as [MASK], replaces a piece, so that the
    positions of all other pieces stay the same.

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
    texts = [text] if pair is None else [text, pair]
    columns = [checked_texts([text]) for text in texts]
    located = locate_pieces(task.preprocess, *columns)
    (positions,) = np.nonzero(located.inputs[TEXT_NUMBERS])
    num_rows = len(positions) + 1
    inputs = {
        name: np.tile(np.asarray(located.inputs[name]), num_rows)
        for name in task.pretrained.backbone.inputs
    }
    vocabulary = task.preprocess.tokenizer.vocabulary
    mask_id = vocabulary.id_of(vocabulary.roles["mask"])
    ids = inputs[features.INPUT_IDS.name].reshape(num_rows, -1)
    ids[np.arange(1, num_rows), positions] = mask_id  # Changes `inputs`, too.
    lengths = np.repeat(located.lengths, num_rows)
    logits = task._row_logits(rows_of(task.preprocess, inputs, lengths))
    effects = np.zeros((ids.shape[1], task.outputs.num_outputs), np.float32)
    effects[positions] = logits[0] - logits[1:]
    return effects
