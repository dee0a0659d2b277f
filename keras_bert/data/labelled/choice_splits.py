"""The splits of questions with choices: to learn from, choose by, answer."""

from keras_bert.data.labelled.holding_out import held_out
from keras_bert.data.labelled.splits import Splits


def choice_file_splits(paths, read, num_choices, seed):
    """Reads files of questions.

    Args:
        paths: dict from "train" and perhaps "dev" and "test" to a file.
        read: `read_swag` or `read_codah`.
        num_choices: int.
        seed: int, of what is held out if there is no dev file.

    Returns:
        `Splits` of lists of `MultipleChoiceExample`; labels of the test file
        are not read.
    """
    return _splits(
        {
            split: read(path, num_choices, split != "test")
            for split, path in paths.items()
        },
        seed,
    )


def choice_tfds_splits(name, num_choices, seed):
    """As `choice_file_splits`, of a prepared data set.

    Args:
        name: str, as of `read_tfds_choices`.
        num_choices: int.
        seed: int, of what is held out if there is no validation split.

    Returns:
        `Splits`; "dev" stands for "validation".

    Raises:
        ValueError: there is no such data set, or it has no labelled split
            "train".
    """
    # Imported late: most do not have TensorFlow Datasets.
    from keras_bert.data.labelled.tfds_choices import read_tfds_choices
    from keras_bert.data.prepared import open_builder

    there = [*open_builder(name).info.splits]
    if "train" not in there:
        raise ValueError(
            f"{name} must have a split train. Received: {', '.join(there)}."
        )
    names = {"train": "train", "dev": "validation", "test": "test"}
    return _splits(
        {
            split: read_tfds_choices(name, part, num_choices)
            for split, part in names.items()
            if part in there
        },
        seed,
    )


def _splits(read, seed):
    train = read["train"]
    if "dev" not in read:
        kept, held = held_out(len(train), seed)
        read["dev"] = [train[index] for index in held]
        train = [train[index] for index in kept]
    for split, questions in (("train", train), ("dev", read["dev"])):
        if questions[0].label is None:
            raise ValueError(
                f"The questions of {split} must have labels. Received: "
                f"{questions[0].where}, without one."
            )
    test = {"test": read["test"]} if "test" in read else {}
    return Splits(train, {"dev": read["dev"]}, test)
