import collections

import pytest

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


def _prose(subject):
    return "\n\n".join(
        f"The {subject} is {what} of all that there is in the whole house, "
        f"and nobody has ever known where the {subject} was found."
        for what in ("the first", "the second", "the last", "the best")
    )


def test_long_docstrings_readmes_and_descriptions_are_documents(tmp_path):
    functions = [
        f'def f{subject}():\n    """{_prose(subject)}"""\n'
        for subject in ("apple", "pear")
    ]
    source = "\n".join(functions)
    # Tests and vendored copies are not read.
    for name in ("a.py", "tests/a.py", "_vendor/a.py", "b_test.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
    (tmp_path / "README.md").write_text("# Figs\n\n" + _prose("fig"))
    license_line = "License: The licence of it is here."
    (tmp_path / "METADATA").write_text(
        f"Name: plum\n{license_line}\n\n{_prose('plum')}"
    )
    counts = collections.Counter()
    documents = [*collect_documents([str(tmp_path)], counts)]
    assert [len(document) for document in documents] == [4] * 4
    found = {document[0].split()[1] for document in documents}
    assert found == {"apple", "pear", "fig", "plum"}
    assert documents[0][3].startswith("The plum is the best of all that")
    assert counts["read"] == 3


def test_root_that_is_no_folder_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="Received: .*absent"):
        next(collect_documents([str(tmp_path / "absent")]))
