"""Collection of documentation from installed Python packages."""

import ast
import collections
import email
import os
import re
import sysconfig
import warnings
from pathlib import Path

from keras_bert.cli.data.prose import clean_sentences

# Skip tests, vendored packages, and folders that are also roots.
_SKIPPED_FOLDERS = frozenset(
    "test tests _vendor vendor vendored __pycache__ site-packages "
    "dist-packages node_modules idlelib lib2to3".split()
)
_SKIPPED_FILE = re.compile(r"test_.*|.*_test\.py|conftest\.py|.*_pb2.*\.py")
_TEXT_FILE = re.compile(r"README(\.md|\.rst|\.txt)?|METADATA", re.IGNORECASE)
# Parsing is slow, so files with a smaller share of bytes in triple-quoted
# strings are skipped.
_MIN_DOCUMENTATION = 0.2
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_MIN_SENTENCES = 3
_DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def default_roots():
    """Return the folders of the standard library and installed packages."""
    paths = sysconfig.get_paths()
    names = ["stdlib", "purelib", "platlib"]
    return list(dict.fromkeys(paths[name] for name in names))


def collect_documents(roots, counts=None):
    """Read the documentation of Python packages as documents of sentences.

    The files are read, never imported. A document is a docstring, README or
    long description of at least three sentences. Shorter docstrings of a
    module are joined to one document. Each sentence occurs once in the corpus
    (numbers, punctuation and case are ignored), so that the evaluation part
    contains no sentence of the training part. Documents are in the order of
    `roots`, then sorted by path.

    Args:
        roots: list of str, folders of Python packages; see `default_roots`.
        counts: `collections.Counter`, updated with the number of files "read"
            and "skipped" (not valid Python or not valid UTF-8), and of the
            sentences dropped as "copied" (duplicates, or from a text that is
            mostly duplicates) and "scattered" (too few to make a document).

    Yields:
        Documents, as lists of sentences without line breaks.

    Raises:
        ValueError: a root is not a folder.
    """
    counts = collections.Counter() if counts is None else counts
    seen = set()
    for root in roots:
        if not os.path.isdir(root):
            raise ValueError(f"`roots` must be folders. Received: {root!r}.")
        for path in _documentation_files(root):
            try:
                texts = _read_texts(path)
            except (OSError, SyntaxError, ValueError, RecursionError):
                counts["skipped"] += 1
                continue
            counts["read"] += 1
            yield from _documents_of_file(texts, seen, counts)


def _documents_of_file(texts, seen, counts):
    remaining = []
    for text in texts:
        sentences, fresh = clean_sentences(text), []
        for sentence in sentences:
            key = _NOT_LETTERS.sub(" ", sentence).strip().lower()
            if key not in seen:
                fresh.append(sentence)
            seen.add(key)
        if 2 * len(fresh) < len(sentences):  # Mostly a copy of earlier text.
            fresh = []
        counts["copied"] += len(sentences) - len(fresh)
        if len(fresh) < _MIN_SENTENCES:
            remaining += fresh
        else:
            yield fresh
    if len(remaining) >= _MIN_SENTENCES:
        yield remaining
    else:
        counts["scattered"] += len(remaining)


def _documentation_files(root):
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(set(subfolders) - _SKIPPED_FOLDERS)
        for name in sorted(names):
            is_module = name.endswith(".py") and not _SKIPPED_FILE.match(name)
            if is_module or _TEXT_FILE.fullmatch(name):
                yield Path(folder, name)


def _read_texts(path):
    content = path.read_bytes()
    if path.name == "METADATA":
        message = email.message_from_string(content.decode())
        return [str(message.get_payload())]
    if path.suffix != ".py":
        return [content.decode()]
    quoted = content.split(b'"""')[1::2]
    if sum(map(len, quoted)) < max(200, _MIN_DOCUMENTATION * len(content)):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Invalid escapes in other packages.
        return list(_docstrings(ast.parse(content)))


def _docstrings(node):
    docstring = ast.get_docstring(node, clean=False)
    if docstring:
        yield docstring
    if isinstance(node, (ast.Module, ast.ClassDef)):
        for child in node.body:
            if isinstance(child, _DOCUMENTED):
                yield from _docstrings(child)
