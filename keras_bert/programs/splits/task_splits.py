"""The splits of what is no table: to learn from, to choose by, to answer."""

from keras_bert.data.labelled.conll import read_conll
from keras_bert.data.labelled.squad import read_squad
from keras_bert.programs.splits.splits import Splits
from keras_bert.programs.splits.splits import check_train_split
from keras_bert.programs.splits.splits import held_out


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
    return _with_dev(read, len(train.words), train.part, seed)


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
        return _divided(train, seed)
    if not dev:
        return Splits(train, {"dev": predict}, {})
    return Splits(train, {"dev": dev}, {"test": predict} if predict else {})


def choice_file_splits(paths, read, num_choices, seed):
    """Reads files of questions with choices.

    Args:
        paths: dict from "train" and perhaps "dev" and "test" to a file.
        read: `read_swag` or `read_codah`.
        num_choices: int.
        seed: int, of what is held out if there is no dev file.

    Returns:
        `Splits` of lists of `MultipleChoiceExample`; labels of the test file
        are not read.
    """
    return _choice_splits(
        {
            split: read(path, num_choices, split != "test")
            for split, path in paths.items()
        },
        seed,
    )


def choice_tfds_splits(name, num_choices, seed):
    """As `choice_file_splits`, of a prepared data set.

    Args:
        name: str, as `read_tfds_choices` takes it.
        num_choices: int.
        seed: int, of what is held out if there is no validation split.

    Returns:
        `Splits`; "dev" stands for "validation".

    Raises:
        ValueError: there is no such data set, or it has no labelled split
            "train".
    """
    # Imported late: most do not have TensorFlow Datasets.
    from keras_bert.data.labelled.tfds import read_tfds_choices
    from keras_bert.data.prepared import open_builder

    there = [*open_builder(name).info.splits]
    check_train_split(name, there)
    names = {"train": "train", "dev": "validation", "test": "test"}
    return _choice_splits(
        {
            split: read_tfds_choices(name, part, num_choices)
            for split, part in names.items()
            if part in there
        },
        seed,
    )


def _divided(questions, seed):
    """Holds questions out; all on a context are in one part."""
    contexts = list(dict.fromkeys(q.context for q in questions))

    def part(indices):
        chosen = {contexts[index] for index in indices}
        return [q for q in questions if q.context in chosen]

    return _with_dev({"train": questions}, len(contexts), part, seed)


def _choice_splits(read, seed):
    train = read["train"]
    splits = _with_dev(
        read, len(train), lambda indices: [train[i] for i in indices], seed
    )
    for split, questions in (("train", splits.train), *splits.dev.items()):
        if questions[0].label is None:
            raise ValueError(
                f"The questions of {split} must have labels. Received: "
                f"{questions[0].where}, without one."
            )
    return splits


def _with_dev(read, count, part, seed):
    """`Splits` of what is read; without "dev" a part of "train" is held out."""
    train = read["train"]
    if "dev" not in read:
        kept, held = held_out(count, seed)
        train, read["dev"] = part(kept), part(held)
    test = {"test": read["test"]} if "test" in read else {}
    return Splits(train, {"dev": read["dev"]}, test)
