"""What is done with texts that are longer than a model can take."""

from keras_bert.tasks.fine_tuning.text_windows import POOLINGS


def long_text_settings(trained, room, truncation, windows, stride):
    """The settings of a task on texts, checked.

    Args:
        trained: dict, those that the model was trained with; perhaps empty.
        room: int, most tokens of a text in a sequence.
        truncation: str, as of `Preprocessor`, or None.
        windows: str, how the logits of windows are pooled, or None.
        stride: int, most tokens from window to window, or None for as many
            as there are in one.

    Returns:
        A dict of `truncation`, str, and of `windows`, str, and `stride`,
        int, which are None where texts are cut. What the user leaves open is
        as trained, or else texts are cut at their end.

    Raises:
        ValueError: a value is none that there is, or goes not with others.
    """
    if truncation is not None and windows is not None:
        raise ValueError(
            "Longer texts are cut, by `truncation`, or read in `windows`, not "
            f"both. Received: truncation={truncation!r}, windows={windows!r}."
        )
    if truncation is None and windows is None:
        windows = trained.get("windows")
        stride = trained.get("stride") if stride is None else stride
    if windows is not None and windows not in POOLINGS:
        raise ValueError(
            f"`windows` must be one of {', '.join(POOLINGS)}. "
            f"Received: windows={windows!r}."
        )
    if stride is not None and (windows is None or not 1 <= stride <= room):
        raise ValueError(
            f"`stride` must be from 1 to {room}, the tokens that a window "
            "has besides special ones, and goes with `windows`. "
            f"Received: stride={stride}, windows={windows!r}."
        )
    return {
        "truncation": truncation or trained.get("truncation", "head"),
        "windows": windows,
        "stride": stride,
    }
