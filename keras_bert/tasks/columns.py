"""Conversion of input texts (lists, arrays, tables, datasets) to lists."""

import collections.abc
import functools
import inspect
import typing

from keras_bert.lazy_tensorflow import tf
from keras_bert.messages import brief
from keras_bert.messages import listed
from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample
from keras_bert.typing import Arguments
from keras_bert.typing import Texts

_Method = typing.TypeVar("_Method", bound=typing.Callable)
_Answer = typing.TypeVar("_Answer")
# Value of `labels` if the texts include their labels.
LABELS_INCLUDED = "included"
# Keys of a text and of a pair, as in `transformers` pipelines.
SINGLE_KEYS = (("text",),)
PAIR_KEYS = (("text", "text_pair"),)
TEXT_KEYS = SINGLE_KEYS + PAIR_KEYS
_MAX_SHOWN_KEYS = 4
_SETS = set | frozenset
_PYTHON = (str, int, float, bool, type(None))
_FORMS = {1: "single texts", 2: "pairs", 3: "triplets"}


def one_or_many(method: _Method) -> _Method:
    """Decorator that makes a method for lists of texts accept a single text.

    For a single text, the method returns the first item of its result. A
    single text is a str, a scalar of another library, or a mapping of str.

    Args:
        method: method that takes a list of texts as its first argument and
            returns a list or an array.
    """
    name = [*inspect.signature(method).parameters][1]

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        texts = args[0] if args else kwargs.get(name)
        if not _is_one(texts):
            return method(self, *args, **kwargs)
        if args:
            args = ([texts], *args[1:])
        else:
            kwargs[name] = [texts]
        return method(self, *args, **kwargs)[0]

    return typing.cast(_Method, call)


class _Bound(typing.Protocol[Arguments, _Answer]):
    @typing.overload
    def __call__(
        self,
        texts: str | collections.abc.Mapping[str, str],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> _Answer: ...

    @typing.overload
    def __call__(
        self, texts: Texts, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> list[_Answer]: ...


class _OneOrMany(typing.Protocol[Arguments, _Answer]):
    def __get__(
        self, task: object, owner: type
    ) -> _Bound[Arguments, _Answer]: ...


def answers_one_or_many(
    method: typing.Callable[
        typing.Concatenate[typing.Any, typing.Any, Arguments], list[_Answer]
    ],
) -> _OneOrMany[Arguments, _Answer]:
    """Decorator like `one_or_many`, with the type of a single answer."""
    return typing.cast(typing.Any, one_or_many(method))


def _is_one(texts):
    if isinstance(texts, collections.abc.Mapping):
        return any(map(_is_one, texts.values()))
    is_scalar = getattr(texts, "shape", None) == () or hasattr(texts, "as_py")
    return is_scalar or isinstance(texts, str | bytes | MultipleChoiceExample)


def checked_texts(texts):
    """Check single texts and return them as a list of UTF-8 bytes."""
    (column,) = encoded_texts(texts, SINGLE_KEYS)
    return column


def split_examples(texts, labels=LABELS_INCLUDED, keys=TEXT_KEYS):
    """Split examples into texts and labels.

    Args:
        texts: argument of `as_rows`. If it includes labels, see
            `included_labels`.
        labels: sequence of labels, or `LABELS_INCLUDED`.
        keys: argument of `as_rows`.

    Returns:
        A list of texts or pairs, and a list of labels.

    Raises:
        ValueError: `texts` is empty or differs in length from `labels`.
    """
    if labels is LABELS_INCLUDED:
        texts, labels = included_labels(texts)
        if labels is None:
            raise ValueError(
                "`labels` must be given unless `texts` is a `tf.data.Dataset` "
                "of pairs of texts and labels, or its rows or columns have "
                f"the key `label`. Received: {brief(texts)}."
            )
    texts, labels = as_rows(texts, keys), as_list(labels, "labels")
    if len(texts) != len(labels):
        raise ValueError(
            "`labels` must have one label for each example. Received: "
            f"{len(texts)} examples, {len(labels)} labels."
        )
    if not texts:
        raise ValueError("`texts` must not be empty. Received: texts=[].")
    return texts, labels


def with_weights(examples, sample_weight=None):
    """Split a dataset that includes the weights of its examples.

    Args:
        examples: examples with their labels. If they are a `tf.data.Dataset`
            of (text, label, sample_weight) tuples, it is split.
        sample_weight: weights of all other examples.

    Returns:
        The examples, their labels, or `LABELS_INCLUDED`, and their weights.
    """
    spec = getattr(examples, "element_spec", None)
    if not isinstance(spec, tuple) or len(spec) != 3:
        return examples, LABELS_INCLUDED, sample_weight
    rows = as_list(examples)
    return tuple([row[column] for row in rows] for column in range(3))


def first_examples(texts, recipe):
    """Select the examples of a dataset that `steps_per_epoch` reaches.

    Args:
        texts: argument of `fit`. Everything but a `tf.data.Dataset` is
            returned.
        recipe: `Recipe`.
    """
    if not _is_dataset(texts) or not recipe.steps_per_epoch:
        return texts
    steps = recipe.steps_per_epoch * recipe.epochs
    return _unbatched(texts).take(steps * recipe.batch_size)


def in_one_order(texts):
    """Return examples that have the same order each time they are read.

    Args:
        texts: argument of `fit`. A `tf.data.Dataset`, which may be shuffled, is
            cached; everything else is returned.
    """
    return texts.cache() if _is_dataset(texts) else texts


def _is_dataset(values):
    """Return whether values are a `tf.data.Dataset`."""
    return hasattr(values, "as_numpy_iterator")


def included_labels(examples):
    """Split examples that include their labels.

    Args:
        examples: `tf.data.Dataset`, batched or not, of (text, label) or ((text,
            text), label) tuples; or a mapping, a table, or rows (a list or a
            dataset of mappings) with the key `label`.

    Returns:
        The examples without labels, and the labels. These are None if the
        examples have no labels.
    """
    named = named_columns(examples)
    if named is not None:
        texts = {name: x for name, x in named.items() if name != "label"}
        return (texts, named["label"]) if "label" in named else (examples, None)
    rows = as_list(examples)
    if isinstance(getattr(examples, "element_spec", None), tuple):
        if any(len(row) != 2 for row in rows):
            raise ValueError(
                "The elements of the dataset must be pairs of a text, or a "
                f"pair of texts, and a label. Received: {brief(rows[0])}."
            )
        return [text for text, _ in rows], [label for _, label in rows]
    if not rows or not all(_is_mapping(row) and "label" in row for row in rows):
        # A tuple may contain columns.
        return (examples if isinstance(examples, tuple) else rows), None
    texts = [{k: x for k, x in row.items() if k != "label"} for row in rows]
    return texts, [row["label"] for row in rows]


def as_rows(texts, keys=TEXT_KEYS):
    """Return a list of texts, or of tuples if a row has several texts.

    Args:
        texts: list, array, tensor, pandas column or `tf.data.Dataset` (batched
            or not) that contains texts, rows of texts, or mappings with one of
            `keys`; mapping of one of `keys` to columns; table, which may have
            other column names; or tuple of columns.
        keys: tuple with a tuple of str for each accepted number of texts: the
            keys of single texts, of pairs, and so on.

    Raises:
        ValueError: the type is not supported, a mapping has different keys,
            columns differ in length, or it is ambiguous whether a tuple
            contains rows or columns.
    """
    named = named_columns(texts)
    if named is not None:
        names = _names(named, keys, not _is_mapping(texts))
        return _zipped([as_list(named[name], name) for name in names])
    if isinstance(texts, tuple) and _are_columns(texts, keys):
        return _zipped([as_list(column) for column in texts])
    return [
        _values(row, _names(row, keys)) if _is_mapping(row) else row
        for row in as_list(texts)
    ]


def select_columns(examples, columns, labels=None):
    """Return the given columns of examples in the given order.

    Args:
        examples: mapping of columns, table, list of mappings, or
            `tf.data.Dataset` of mappings.
        columns: sequence of str, names of the columns with texts.
        labels: labels of the examples. If None, the labels are the column
            `label`, if there is one that is not among `columns`.

    Returns:
        A list of texts, or of tuples if there are several columns, and the
        labels, or None.

    Raises:
        ValueError: `columns` is not a list of names, or an example lacks one.
    """
    is_list = isinstance(columns, list | tuple) and len(columns) > 0
    if not is_list or not all(isinstance(name, str) for name in columns):
        raise ValueError(
            "`columns` must be a list of names of columns. Received: "
            f"columns={brief(columns)}."
        )
    named = named_columns(examples)
    if named is None:
        rows = as_list(examples)
        for index, row in enumerate(rows):
            _check_has(row, columns, f" at index {index}")
        texts = [_values(row, columns) for row in rows]
        own = _labels_of_rows(rows)
    else:
        _check_has(named, columns, "")
        texts = _zipped([as_list(named[name], name) for name in columns])
        own = named["label"] if "label" in named else None
    if labels is None and "label" not in columns:
        labels = own
    return texts, labels


def _labels_of_rows(rows):
    has_label = ["label" in row for row in rows]
    if not any(has_label):
        return None
    if not all(has_label):
        raise ValueError(
            "All examples or none must have the column `label`. Received: no "
            f"label at index {has_label.index(False)}."
        )
    return [row["label"] for row in rows]


def _check_has(row, columns, where):
    lacking = [x for x in columns if not _is_mapping(row) or x not in row]
    if lacking:
        received = f"the keys {listed(row)}" if _is_mapping(row) else brief(row)
        raise ValueError(
            f"Each example must have the columns {listed(columns)}. Received: "
            f"{received}{where}."
        )


def _is_mapping(row):
    return isinstance(row, collections.abc.Mapping)


def named_columns(texts):
    """Return the columns of a mapping or a table by name, or None."""
    if _is_mapping(texts):
        return texts
    names = getattr(texts, "column_names", getattr(texts, "columns", None))
    if not hasattr(texts, "__getitem__"):  # A stream has only rows.
        return None
    if names is None or _is_mapping(names):
        return names
    return {name: texts[name] for name in names}


def _names(mapping, keys, is_table=False):
    """Return the keys of a mapping or a table in the expected order."""
    for names in keys:
        if {*mapping} == {*names}:
            return names
    known = {"label", "labels"}.union(*keys)
    if is_table and known.isdisjoint(mapping):
        return [*mapping]  # Unknown names: read the columns in order.
    shown = keys[:_MAX_SHOWN_KEYS]
    wanted = ", or ".join(" and ".join(map(repr, names)) for names in shown)
    wanted += ", and so on" if len(keys) > len(shown) else ""
    raise ValueError(
        f"A mapping or table of texts must have the keys {wanted}. Select "
        "and rename columns, or pass a column by itself. Received: the keys "
        f"{listed(mapping)}."
    )


def _values(row, names):
    values = tuple(row[name] for name in names)
    return values if len(names) > 1 else values[0]


def _zipped(columns):
    lengths = [len(column) for column in columns]
    if len({*lengths}) > 1:
        raise ValueError(
            "Columns of texts must have the same length. Received: columns of "
            f"{' and '.join(map(str, lengths))} texts."
        )
    return columns[0] if len(columns) == 1 else [*zip(*columns, strict=True)]


def _are_columns(texts, keys):
    """Return True if a tuple contains columns of texts, not rows."""
    if any(getattr(x, "shape", None) and len(x.shape) == 1 for x in texts):
        return True
    if not all(isinstance(x, list | tuple) for x in texts):
        return False
    if not all(isinstance(x, str) for column in texts for x in column):
        return False
    widths = {len(names) for names in keys} - {1}
    if len(texts) not in widths:
        return False
    if any(len(x) not in widths for x in texts):
        return True
    raise ValueError(
        f"A tuple of {len(texts)} lists of {len(texts[0])} texts is ambiguous: "
        "it may contain columns or rows. Pass columns a and b as list(zip(a, "
        f"b)), and rows as a list of tuples. Received: {brief(texts)}."
    )


def _unbatched(dataset):
    """Return a `tf.data.Dataset` with one example in each element."""
    spec = dataset.element_spec
    while isinstance(spec, tuple | dict):
        spec = [*spec.values()][0] if isinstance(spec, dict) else spec[0]
    is_batched = getattr(spec, "shape", None) and spec.shape.rank
    return dataset.unbatch() if is_batched else dataset


def as_list(values, name="texts"):
    """Convert values of any library to a Python list of `plain` values.

    Args:
        values: sequence, array, tensor, column or `tf.data.Dataset`.
        name: str, argument name to show in error messages.

    Raises:
        ValueError: the values are a single value, a table, or a set, which has
            no order; or bytes are not UTF-8. The message names their index.
    """
    if _is_dataset(values):
        if values.cardinality() == tf.data.INFINITE_CARDINALITY:
            raise ValueError(
                f"`{name}` is an endless dataset. Pass `steps_per_epoch` to "
                "`fit`, or a dataset without `repeat()`. Received: "
                f"{brief(values)}."
            )
        values = _unbatched(values).as_numpy_iterator()
    named = named_columns(values)
    if named is not None:
        raise ValueError(
            f"`{name}` must be a list. Received: a mapping or a table with "
            f"the keys {listed(named)}. Pass one column, such as table[key], "
            "or rows of numbers, as table[keys].to_numpy()."
        )
    values = _python_object(values)
    if isinstance(values, str | bytes | _SETS) or not hasattr(
        values, "__iter__"
    ):
        hint = " A set has no order." if isinstance(values, _SETS) else ""
        raise ValueError(
            f"`{name}` must be a list. Received: {brief(values)}.{hint}"
        )
    items = []
    for index, value in enumerate(values):
        try:
            items.append(plain(value))
        except UnicodeDecodeError as error:
            raise ValueError(
                f"`{name}` must be UTF-8 text. Received: {brief(error.object)} "
                f"at index {index}: {error.reason} at byte {error.start}. "
                "Decode other encodings to str."
            ) from None
    return items


def plain(value):
    """Convert a value of any library, with its items, to Python objects.

    Bytes are decoded as UTF-8, because TensorFlow stores texts as bytes.
    """
    if type(value) in _PYTHON:
        return value
    value = _python_object(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, dict):
        return {plain(key): plain(x) for key, x in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    return value


def _python_object(value):
    """Convert a scalar or an array of NumPy, TensorFlow, Arrow or pandas."""
    if isinstance(value, str):
        return str(value)
    for name in ("tolist", "to_pylist", "as_py", "numpy"):
        if hasattr(value, name):
            converted = getattr(value, name)()
            return _python_object(converted) if name == "numpy" else converted
    return value


def encoded_texts(texts, keys=TEXT_KEYS):
    """Encode texts as UTF-8.

    Args:
        texts, keys: arguments of `as_rows`.

    Returns:
        A list of columns: one list of bytes for single texts, two for pairs.

    Raises:
        ValueError: rows differ in the number of texts, no item of `keys` has
            this number, or a text is not a str. The message names the index.
    """
    texts = as_rows(texts, keys)
    rows = [x if isinstance(x, list | tuple) else (x,) for x in texts]
    widths = sorted({len(names) for names in keys})
    width = len(rows[0]) if rows else widths[0]
    longest = f"tuples of up to {widths[-1]} texts"
    forms = [_FORMS.get(n, longest) for n in widths]
    for index, row in enumerate(rows):
        if len(row) != width or width not in widths:
            raise ValueError(
                f"`texts` must be {' or '.join(dict.fromkeys(forms))}, "
                "like the first item and the training data. Received: "
                f"{brief(texts[index])} at index {index}. Two lists a and b "
                "are pairs as list(zip(a, b))."
            )
    return [
        [_encoded(*x) for x in enumerate(column)]
        for column in (zip(*rows, strict=True) if rows else [()] * width)
    ]


def _encoded(index, text):
    if not isinstance(text, str):
        raise ValueError(
            f"`texts` must be str. Received: {brief(text)} at index {index}."
        )
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            "`texts` must be str that UTF-8 can encode. Received: half of a "
            f"surrogate pair, {text[error.start]!r}, at character "
            f"{error.start} of {brief(text)} at index {index}."
        ) from None
