"""Texts and labels that users give, checked, as plain columns."""

import reprlib

import numpy as np

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
# Stands for labels that come together with the texts.
INSIDE = "inside"


def checked_texts(texts):
    """Checks a list of str and encodes it as UTF-8.

    Raises:
        ValueError: it is no list of str, or one of them is no text.
    """
    if isinstance(texts, str | bytes) or not hasattr(texts, "__iter__"):
        raise ValueError(
            f"`texts` must be a list of str. Received: {_SHORT.repr(texts)}."
        )
    return [
        _encoded(text, "`texts` must be a list of str", f" at index {index}")
        for index, text in enumerate(texts)
    ]


def checked_text(text):
    """As `checked_texts`, of one str."""
    return _encoded(text, "`text` must be one str", "")


def brief(text):
    """A text for a message, cut to about 60 characters."""
    return _SHORT.repr(text)


def _encoded(text, wanted, where):
    if not isinstance(text, str):
        raise ValueError(f"{wanted}. Received: {brief(text)}{where}.")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{wanted} that UTF-8 can hold. Received: half of a surrogate "
            f"pair, {text[error.start]!r}, at character {error.start} of "
            f"{brief(text)}{where}."
        ) from None


def split_examples(texts, labels=INSIDE):
    """Splits texts and labels that may come together in a data set.

    Args:
        texts: sequence of texts or of pairs of texts, as `as_rows` takes it;
            or a `tf.data.Dataset`, batched or not, of pairs of a text, or a
            pair of texts, and a label.
        labels: sequence of labels; `INSIDE` with a data set.

    Returns:
        A list of texts or of pairs, and a list of labels.

    Raises:
        ValueError: there are no texts, or not as many as labels.
    """
    if labels is INSIDE:
        if not hasattr(texts, "as_numpy_iterator"):
            raise ValueError(
                "`labels` must be given, but for a `tf.data.Dataset` of pairs "
                f"of texts and labels. Received: {brief(texts)}."
            )
        texts, labels = _from_dataset(texts)
    texts, labels = as_rows(texts), as_list(labels)
    if len(texts) != len(labels):
        raise ValueError(
            "There must be a label for each text. Received: "
            f"{len(texts)} texts, {len(labels)} labels."
        )
    if not texts:
        raise ValueError("There must be examples. Received: none.")
    return texts, labels


def as_rows(texts):
    """Makes a plain list of texts, or of tuples of the texts of each row.

    Args:
        texts: list of these, NumPy array, or column or table of pandas; tuple
            of such arrays or columns; or `tf.data.Dataset`, batched or not.

    Raises:
        ValueError: it is none of these, or columns are not equally long.
    """
    if hasattr(texts, "as_numpy_iterator"):
        return [_decoded_row(x) for x in unbatched(texts).as_numpy_iterator()]
    if not isinstance(texts, tuple) or not all(map(_is_column, texts)):
        return as_list(texts)
    lengths = [len(column) for column in texts]
    if len({*lengths}) > 1:
        raise ValueError(
            "Columns of texts must be equally long. Received: columns of "
            f"{' and '.join(map(str, lengths))} texts."
        )
    return list(zip(*(column.tolist() for column in texts), strict=True))


def unbatched(dataset):
    """The same `tf.data.Dataset` with one example in each element."""
    spec = dataset.element_spec
    while isinstance(spec, tuple):
        spec = spec[0]
    is_batched = getattr(spec, "shape", None) and spec.shape.rank
    return dataset.unbatch() if is_batched else dataset


def as_list(values):
    """A plain list of NumPy's, pandas's or Python's values.

    A table of pandas becomes a list of tuples, one for each row.
    """
    if hasattr(values, "itertuples"):  # A pandas DataFrame.
        return list(values.itertuples(index=False, name=None))
    if hasattr(values, "tolist"):
        return values.tolist()
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise ValueError(f"Examples must be a list. Received: {brief(values)}.")
    return list(values)


def encoded_texts(texts, is_pair=None):
    """Encodes texts as UTF-8, one column or, of pairs, two.

    Args:
        texts: list of str, or of pairs of str, as `as_rows` takes it.
        is_pair: bool, whether pairs are wanted; None for either.

    Raises:
        ValueError: some are pairs and some are not, one is no text, or they
            are not what is wanted.
    """
    texts = as_rows(texts)
    widths = [
        1 if isinstance(x, str | bytes) or not hasattr(x, "__len__") else len(x)
        for x in texts
    ]
    wanted = {None: widths[0] if widths else 1, False: 1, True: 2}[is_pair]
    for index, width in enumerate(widths):
        if width != wanted or width > 2:
            raise ValueError(
                f"`texts` must be {'pairs' if wanted == 2 else 'single texts'}"
                f", as the first ones or as the model was trained. Received: "
                f"{brief(texts[index])} at index {index}. Two lists a and b "
                "are pairs as list(zip(a, b))."
            )
    if wanted == 1:
        return [checked_texts(texts)]
    return [checked_texts([pair[n] for pair in texts]) for n in range(2)]


def label_indices(labels, names):
    """Finds the places of labels among their names.

    Args:
        labels: list of names, or of their places, int.
        names: list of str.

    Raises:
        ValueError: a label is none of them; its index is named.
    """
    places = {name: place for place, name in enumerate(names)}
    indices = np.empty(len(labels), np.int64)
    for index, label in enumerate(labels):
        place = places.get(label) if isinstance(label, str) else label
        is_place = isinstance(place, int) and not isinstance(place, bool)
        if not is_place or not 0 <= place < len(names):
            raise ValueError(
                f"A label must be one of {', '.join(names[:10])}, or its "
                f"place, from 0 to {len(names) - 1}. Received: {label!r} at "
                f"index {index}."
            )
        indices[index] = place
    return indices


def numbers(labels):
    """Checks that labels are numbers: a float32 array.

    Raises:
        ValueError: one is no finite number; its index is named.
    """
    for index, label in enumerate(labels):
        is_number = isinstance(label, int | float)
        if not is_number or isinstance(label, bool) or not np.isfinite(label):
            raise ValueError(
                "A label must be a finite number. "
                f"Received: {label!r} at index {index}."
            )
    return np.array(labels, np.float32)


def _from_dataset(dataset):
    texts, labels = [], []
    for element in unbatched(dataset).as_numpy_iterator():
        if not isinstance(element, tuple) or len(element) != 2:
            raise ValueError(
                "The elements of the data set must be pairs of a text, or a "
                f"pair of texts, and a label. Received: {brief(element)}."
            )
        text, label = element
        texts.append(_decoded_row(text))
        labels.append(_decoded_row(label))
    return texts, [
        getattr(label, "tolist", lambda x=label: x)() for label in labels
    ]


def _is_column(values):
    return hasattr(values, "tolist") and getattr(values, "ndim", 0) == 1


def _decoded_row(row):
    """Decodes texts, one or a tuple; anything else stays as it is."""
    if isinstance(row, tuple):
        return tuple(map(_decoded_row, row))
    return row.decode("utf-8") if isinstance(row, bytes) else row
