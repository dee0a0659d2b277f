"""The splits of tagged sentences: to learn from, to choose by, to tag."""

from keras_bert.data.labelled.conll import read_conll
from keras_bert.data.labelled.holding_out import held_out
from keras_bert.data.labelled.splits import Splits


def conll_splits(paths, tag_column, seed):
    """Reads files of tagged sentences.

    Args:
        paths: dict from "train" and perhaps "dev" and "test" to a file.
        tag_column: int, as of `read_conll`.
        seed: int, of what is held out if there is no dev file.

    Returns:
        `Splits` of `TaggedSentences`.
    """
    read = {split: read_conll(x, tag_column) for split, x in paths.items()}
    train = read["train"]
    if "dev" not in read:
        kept, held = held_out(len(train.words), seed)
        train, read["dev"] = train.part(kept), train.part(held)
    test = {"test": read["test"]} if "test" in read else {}
    return Splits(train, {"dev": read["dev"]}, test)
