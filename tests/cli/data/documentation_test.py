import collections
import doctest
import textwrap

import pytest

from keras_bert.cli.data import prose
from keras_bert.cli.data.documentation import collect_documents
from keras_bert.cli.data.prose import clean_sentences

_GOOGLE = """Reads a file from the disk.

    The whole file is kept in memory, so it must
    not be large::

        read(path)[0]

    Note:
        Nothing is written to the disk.

    Args:
        path: The name of the file. It must be a string.

            It may also be a path of the system.

    Returns:
        The content of the file as a string.

    Example:

    >>> read("a")
    This is the output of it.
    """

_NUMPY = """
    Compute the mean of an array.

    Parameters
    ----------
    a : array
        The numbers to take the mean of.

    Notes
    -----
    The mean is not robust to outliers [1]_.

    .. math::

        This is a sum over all of it.

    .. note::

       The median is robust to a few of them.

    References
    ----------
    .. [1] A book of the library.

    Examples
    --------
    This is an example of the mean.
    """


_NO_SENTENCES = [
    "the lower case of it.",
    "There is no stop in it",
    "Too short is.",
    "The value of x = 3 is used.",
    "See https://a.b for all of it.",
    "Copyright of the authors in 2020.",
    "Das ist ein kurzer deutscher Satz.",
    "It is (not closed at the end.",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            _GOOGLE,
            ["Reads a file from the disk.", "Nothing is written to the disk."],
        ),
        (
            _NUMPY,
            [
                "Compute the mean of an array.",
                "The mean is not robust to outliers.",
                "The median is robust to a few of them.",
            ],
        ),
        (
            "Opens the door of a house.\n\n:param key: It is\n    The key.\n",
            ["Opens the door of a house."],
        ),
        (
            "# This is a heading of it.\n\n```python\nThis is the code in it."
            "\n```\n\n| This is a table of it. | Yes. |\n\n"
            "A line of the text stays.\n",
            ["A line of the text stays."],
        ),
        (
            "- The first is\n  on two lines.\n- The second is on one.\n",
            ["The first is on two lines.", "The second is on one."],
        ),
        *((text, []) for text in _NO_SENTENCES),
    ],
)
def test_only_sentences_of_prose_are_kept(text, expected):
    assert clean_sentences(text) == expected


def test_examples_in_docstrings_are_true():
    assert doctest.testmod(prose).failed == 0


def _module(*docstrings):
    functions = (
        f'def f{number}():\n    """{textwrap.dedent(docstring)}"""\n'
        for number, docstring in enumerate(docstrings)
    )
    return "\n".join(functions)


def _long(subject):
    return "\n\n".join(
        f"    The {subject} is {what} of all that there is in the whole house, "
        f"and nobody has ever known where the {subject} was found."
        for what in ("the first", "the second", "the last", "the best")
    )


def _collect(root, **files):
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".py").write_text(content, encoding="utf-8")
    counts = collections.Counter()
    return list(collect_documents([str(root)], counts)), counts


def test_a_long_docstring_is_a_document(tmp_path):
    documents, counts = _collect(
        tmp_path, a=_module(_long("apple"), _long("pear"))
    )
    assert [len(document) for document in documents] == [4, 4]
    assert documents[1][3].startswith("The pear is the best of all that")
    assert counts == collections.Counter(read=1)


def test_tests_and_vendored_copies_are_not_read(tmp_path):
    source = _module(_long("apple"))
    documents, counts = _collect(
        tmp_path, tests__a=source, _vendor__a=source, b_test=source
    )
    assert documents == []
    assert not counts


def test_readmes_and_descriptions_are_read(tmp_path):
    (tmp_path / "README.md").write_text("# Apples\n\n" + _dedented("apple"))
    (tmp_path / "METADATA").write_text(
        "Name: pear\nLicense: The licence of it is here.\n\n"
        + _dedented("pear")
    )
    documents, _ = _collect(tmp_path)
    assert [len(document) for document in documents] == [4, 4]
    assert documents[0][0].startswith("The pear")


def _dedented(subject):
    return textwrap.dedent(_long(subject))


def test_root_that_is_no_folder_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="Received: .*absent"):
        next(collect_documents([str(tmp_path / "absent")]))
