"""The splits of questions on contexts: to learn from, choose by, answer."""

from keras_bert.data.labelled.holding_out import held_out
from keras_bert.data.labelled.splits import Splits
from keras_bert.data.labelled.squad import read_squad


def squad_splits(train_file, dev_file, predict_file, seed):
    """Reads files of SQuAD.

    Args:
        train_file: str; None where nothing is learned.
        dev_file: str, by which the best epoch is chosen. If it is None, that
            is `predict_file`, or else a tenth of the contexts of
            `train_file`.
        predict_file: str, what to answer; None for what is chosen by.
        seed: int, of what is held out.

    Returns:
        `Splits` of lists of `SquadQuestion`.

    Raises:
        ValueError: there is nothing to learn and nothing to answer, or a file
            is not as SQuAD's are.
    """
    train, dev, predict = (
        path and read_squad(path)
        for path in (train_file, dev_file, predict_file)
    )
    if not train:
        return Splits(None, {}, {"test": predict})
    if not dev and not predict:
        train, dev = _divided(train, seed)
    if not dev:
        return Splits(train, {"dev": predict}, {})
    return Splits(train, {"dev": dev}, {"test": predict} if predict else {})


def _divided(questions, seed):
    """All questions on a context are in one part."""
    contexts = list(dict.fromkeys(q.context for q in questions))
    _, held = held_out(len(contexts), seed)
    held = {contexts[index] for index in held}
    parts = ([], [])
    for question in questions:
        parts[question.context in held].append(question)
    return parts
