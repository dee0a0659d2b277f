import collections
import doctest
import sys
import textwrap
import unittest

import pytest

from keras_bert.programs.demo import prose
from keras_bert.programs.demo.documentation import collect_documents
from keras_bert.programs.demo.documentation import default_roots
from keras_bert.programs.demo.prose import clean_sentences

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


class CleanSentencesTest(unittest.TestCase):
    def test_google_style_keeps_prose_only(self):
        self.assertEqual(
            clean_sentences(_GOOGLE),
            [
                "Reads a file from the disk.",
                "Nothing is written to the disk.",
            ],
        )

    def test_numpy_style_keeps_prose_only(self):
        self.assertEqual(
            clean_sentences(_NUMPY),
            [
                "Compute the mean of an array.",
                "The mean is not robust to outliers.",
                "The median is robust to a few of them.",
            ],
        )

    def test_sphinx_fields_are_dropped(self):
        text = "Opens the door.\n\n:param key: It is\n    The key of it.\n"
        self.assertEqual(clean_sentences(text), [])
        text = text.replace("door", "door of a house")
        self.assertEqual(clean_sentences(text), ["Opens the door of a house."])

    def test_markup_is_removed(self):
        for marked, plain in [
            (
                "Use :class:`~os.Path` and ``x`` here.",
                "Use os.Path and x here.",
            ),
            ("It is **very** *good* to `sit`.", "It is very good to sit."),
            ("See the [manual](https://a.b) of it.", "See the manual of it."),
            ("See `the manual <https://a.b>`_ now.", "See the manual now."),
            ("Calling close() is not needed.", "Calling close is not needed."),
            ("Note: the `file' is “open”.", "the 'file' is \"open\"."),
        ]:
            with self.subTest(marked):
                self.assertEqual(
                    prose._without_markup(marked.translate(prose._PLAIN_MARKS)),
                    plain,
                )

    def test_code_tables_and_headings_are_dropped(self):
        text = """
        # This is a heading of it.

        ```python
        This is the code in it.
        ```

        | This is a table of it. | Yes. |

        A line of the text stays.
        """
        self.assertEqual(clean_sentences(text), ["A line of the text stays."])

    def test_bullets_are_paragraphs(self):
        text = "- The first is\n  on two lines.\n- The second is on one.\n"
        self.assertEqual(
            clean_sentences(text),
            ["The first is on two lines.", "The second is on one."],
        )

    def test_what_is_not_a_sentence_is_dropped(self):
        for text in [
            "the lower case of it.",
            "There is no stop in it",
            "Too short is.",
            "The value of x = 3 is used.",
            "See https://a.b for all of it.",
            "The f(x) of it is here.",
            "Copyright of the authors in 2020.",
            "Das ist ein kurzer deutscher Satz.",
            "C'est une très belle phrase.",
            "It is (not closed at the end.",
        ]:
            with self.subTest(text):
                self.assertEqual(clean_sentences(text), [])

    def test_examples_in_docstrings_are_true(self):
        self.assertEqual(doctest.testmod(prose).failed, 0)


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


def test_short_docstrings_of_a_module_make_one_document(tmp_path):
    short = [
        f"Opens the {name} for all who come, be it by day or by night, and "
        f"keeps the {name} open until the last of them has left the house."
        for name in ("door", "gate", "window", "roof")
    ]
    documents, _ = _collect(tmp_path, a=_module(*short))
    assert documents == [short]


def test_no_sentence_occurs_twice(tmp_path):
    documents, _ = _collect(
        tmp_path,
        a=_module(_long("apple")),
        b=_module(_long("APPLE")),
        c=_module(_long("pear") + "\n\n" + _long("apple")[:150]),
    )
    assert [len(document) for document in documents] == [4, 4]


def test_the_order_is_that_of_the_paths(tmp_path):
    subjects = {"b": "plum", "a__c": "pear", "a__a": "fig"}
    sources = {name: _module(_long(s)) for name, s in subjects.items()}
    documents, _ = _collect(tmp_path, **sources)
    firsts = [document[0].split()[1] for document in documents]
    assert firsts == ["plum", "fig", "pear"]


def test_tests_and_vendored_copies_are_not_read(tmp_path):
    source = _module(_long("apple"))
    documents, counts = _collect(
        tmp_path, tests__a=source, _vendor__a=source, b_test=source
    )
    assert documents == []
    assert not counts


def test_files_of_code_are_not_parsed(tmp_path):
    source = _module(_long("apple")) + "x = 1\n" * 2000
    documents, counts = _collect(tmp_path, a=source)
    assert documents == []
    assert counts == collections.Counter(read=1)


def test_broken_files_are_skipped_and_counted(tmp_path):
    (tmp_path / "b.py").write_bytes(b"\xff" + _module(_long("fig")).encode())
    documents, counts = _collect(
        tmp_path, a="def (" + _module(_long("apple")), c=_module(_long("pear"))
    )
    assert len(documents) == 1
    assert counts == collections.Counter(read=1, skipped=2)


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


def test_default_roots_hold_the_standard_library_and_packages():
    roots = default_roots()
    assert roots[0].endswith("python3.%d" % sys.version_info.minor)
    assert any(root.endswith("-packages") for root in roots)
