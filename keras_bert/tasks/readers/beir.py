"""Reader for retrieval datasets in BEIR format."""

import dataclasses
import numbers
import pathlib
import typing

from keras_bert.files.rows import cell
from keras_bert.files.rows import read_dicts
from keras_bert.messages import brief
from keras_bert.messages import errors_name
from keras_bert.summary import Summarized
from keras_bert.tasks.columns import PAIR_KEYS
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.readers.tables import read_cells
from keras_bert.typing import Path

_CORPUS = "corpus.jsonl"
_QUERIES = "queries.jsonl"
_COLUMNS = {"query": "query-id", "document": "corpus-id", "grade": "score"}


@dataclasses.dataclass(frozen=True, repr=False)
class RetrievalData(Summarized):
    """Queries, documents and the relevant documents of each query.

    Args:
        queries: dict mapping ids to texts (str).
        corpus: dict mapping ids to texts (str).
        relevance: dict mapping query ids to dicts that map document ids to
            grades (int). Documents with a grade above 0 are relevant.

    Raises:
        ValueError: a text is not a str, or `relevance` contains an unknown id
            or no relevant document.
    """

    queries: dict[str, str]
    corpus: dict[str, str]
    relevance: dict[str, dict[str, int]]

    def __post_init__(self):
        check_dicts(**vars(self))
        for name in "queries", "corpus":
            for key, text in getattr(self, name).items():
                if not isinstance(text, str | bytes):
                    raise ValueError(
                        f"`{name}` must map ids to texts (str). Received: "
                        f"{brief(text)} for {brief(key)}."
                    )
        for query, grades in positive_grades(self.relevance).items():
            unknown = {*grades} - {*self.corpus}
            if query not in self.queries or unknown:
                raise ValueError(
                    "`relevance` must have ids of `queries` and `corpus`. "
                    f"Received: the query {brief(query)} with the unknown "
                    f"documents {brief([*unknown])}."
                )

    @classmethod
    def from_pairs(
        cls, pairs: typing.Any, corpus: typing.Iterable[str] = ()
    ) -> typing.Self:
        """Create a dataset from pairs of a query and a relevant document.

        The ids are the texts.

        Args:
            pairs: list, array or table of (query, document) pairs.
            corpus: other documents (str).
        """
        queries, documents = (
            [text.decode() for text in column]
            for column in encoded_texts(pairs, PAIR_KEYS)
        )
        relevance: dict = {query: {} for query in queries}
        for query, document in zip(queries, documents, strict=True):
            relevance[query][document] = 1
        others = [text.decode() for text in checked_texts(corpus)]
        texts = {text: text for text in [*others, *documents]}
        return cls({query: query for query in queries}, texts, relevance)

    def _facts(self):
        return {
            "num_queries": len(self.queries),
            "num_documents": len(self.corpus),
            "num_judged_queries": len(positive_grades(self.relevance)),
        }


def check_dicts(**values):
    """Raise ValueError unless all values are dicts."""
    for name, value in values.items():
        if not isinstance(value, dict):
            raise ValueError(
                f"`{name}` must be a dict that maps ids to values. Received: "
                f"{name}={brief(value)}."
            )


def positive_grades(relevance):
    """Return the grades above 0, for queries with at least one of them.

    Args:
        relevance: see `RetrievalData`.

    Raises:
        ValueError: `relevance` is malformed or has no grade above 0.
    """
    for query, grades in relevance.items():
        values = grades.values() if isinstance(grades, dict) else [None]
        if not all(isinstance(grade, numbers.Integral) for grade in values):
            raise ValueError(
                "`relevance` must map each query to a dict of documents and "
                "their grades (int), such as {'d1': 1}. Received: "
                f"{brief(grades)} for {brief(query)}."
            )
    positive = {
        query: {name: grade for name, grade in grades.items() if grade > 0}
        for query, grades in relevance.items()
    }
    positive = {query: grades for query, grades in positive.items() if grades}
    if not positive:
        raise ValueError(
            "`relevance` must have a query with a grade above 0. Received: "
            f"{len(relevance)} queries without one."
        )
    return positive


def read_beir(directory: Path, split: str = "test") -> RetrievalData:
    """Read a retrieval dataset in BEIR format.

    If a document has a title, it is prepended to the text with a space.

    Args:
        directory: directory with `corpus.jsonl`, `queries.jsonl` and
            `qrels/{split}.tsv`.
        split: name of the split, such as "test" or "dev".

    Returns:
        `RetrievalData`.

    Raises:
        ValueError: a row is invalid, an id is repeated or unknown, or a file
            is empty. The message names the file and the line.

    References:
        [BEIR](https://arxiv.org/abs/2104.08663)
    """
    directory = pathlib.Path(directory)
    queries = _read_texts(directory / _QUERIES)
    corpus = _read_texts(directory / _CORPUS)
    relevance: dict = {}
    path = directory / "qrels" / f"{split}.tsv"
    table = read_cells(path, _COLUMNS)
    for index, (query, document, grade) in enumerate(
        zip(*table.columns.values(), strict=True)
    ):
        grades = relevance.setdefault(query, {})
        value = _grade(grade)
        if value is None or grades.setdefault(document, value) != value:
            raise ValueError(
                f"{table.where(index)}, must have an integer grade, once for "
                f"each query and document. Received: {brief(grade)} for "
                f"{brief(query)} and {brief(document)}."
            )
        for name, known in ((query, queries), (document, corpus)):
            if value > 0 and name not in known:
                file = _QUERIES if known is queries else _CORPUS
                raise ValueError(
                    f"{table.where(index)}, must have an id of {file}. "
                    f"Received: {brief(name)}."
                )
    with errors_name(path):
        return RetrievalData(queries, corpus, relevance)


def _grade(text):
    """Return a grade such as "1" or "1.0" as an int, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if value.is_integer() else None


def _read_texts(path):
    """Return a dict mapping ids to the texts of a JSON-lines file."""
    texts: dict = {}
    for number, row in enumerate(read_dicts(path), 1):
        location = f"{path}, line {number},"
        name = cell(location, row, "_id")
        if not name or name in texts:
            raise ValueError(
                f"{location} must have a unique, non-empty `_id`. Received: "
                f"{brief(name)}."
            )
        title = cell(location, {"title": "", **row}, "title")
        texts[name] = f"{title} {cell(location, row, 'text')}".strip()
    if not texts:
        raise ValueError(f"{path} must contain rows. Received: an empty file.")
    return texts
