"""The splits of tagged sentences: to learn from, to choose by, to tag."""

from keras_bert.data.labelled.conll import read_conll
from keras_bert.data.labelled.holding_out import held_out
from keras_bert.data.labelled.splits import Splits


def conll_splits(paths, seed, on_stray_tag="error", **columns):
    """Reads files of tagged sentences.

    Args:
        paths: dict from "train" and perhaps "dev" and "test" to a file.
        seed: int, of what is held out if there is no dev file.
        on_stray_tag: as `read_conll` takes it. Of "test", which is only
            tagged, stray tags are always repaired.
        **columns: `tag_column` and `word_column`, as `read_conll` takes them.

    Returns:
        `Splits` of `TaggedSentences`.
    """
    read = {
        split: read_conll(
            path,
            on_stray_tag="repair" if split == "test" else on_stray_tag,
            **columns,
        )
        for split, path in paths.items()
    }
    train = read["train"]
    if "dev" not in read:
        kept, held = held_out(len(train.words), seed)
        train, read["dev"] = train.part(kept), train.part(held)
    test = {"test": read["test"]} if "test" in read else {}
    return Splits(train, {"dev": read["dev"]}, test)
