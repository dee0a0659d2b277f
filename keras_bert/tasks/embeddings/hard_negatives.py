"""Mining of hard negatives: similar to the anchor, but not relevant to it."""

import itertools
import json
import typing

import numpy as np

from keras_bert import checks
from keras_bert.files.manifest import manifest_of
from keras_bert.files.manifest import manifest_path_for
from keras_bert.files.outputs import new_file
from keras_bert.messages import brief
from keras_bert.tasks.columns import SINGLE_KEYS
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.embeddings.multi_vectors import MultiVectors
from keras_bert.tasks.embeddings.scores import as_array
from keras_bert.tasks.embeddings.scores import pair_scores
from keras_bert.tasks.embeddings.search import search
from keras_bert.tasks.embeddings.search import similarity_of
from keras_bert.tasks.readers.tables import read_cells
from keras_bert.typing import Path

_COLUMNS = ("anchor", "positive", "negative")
_PAIR_KEYS = (_COLUMNS[:2],)
_PAIRS_AT_ONCE = 8192
_TOLERANCE = 1e-3  # Relative difference between identical embedders.


def mine_hard_negatives(
    embedder: typing.Any,
    pairs: typing.Any,
    output_file: Path,
    corpus: typing.Any = None,
    num_negatives: int = 3,
    range_min: int = 0,
    range_max: int | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
    ranker: typing.Any = None,
    overwrite: bool = False,
) -> int:
    """Mine hard negatives and write them to a file of triplets.

    The negatives of an anchor are the most similar documents, except its
    positives and its own text. The documents are `corpus` and all positives.
    The margins exclude candidates that may be unlabeled positives. Candidates
    with equal scores are in the order of the documents, `corpus` first.

    Args:
        embedder: `TextEmbedder`, `SparseEmbedder`, `LateInteractionEmbedder`,
            or an object with methods `embed_query` and `embed_document`.
        pairs: list, array or table of pairs (anchor, positive).
        output_file: new ".jsonl" file with the keys `anchor`, `positive` and
            `negative`, for `read_hard_negatives`. A manifest next to it
            records the embedder and the settings.
        corpus: list of additional documents, or None.
        num_negatives: maximum number of negatives per pair.
        range_min: number of best candidates to skip.
        range_max: number of best candidates to choose from, including the
            skipped ones. Defaults to the sum of `range_min`, 10 times
            `num_negatives` and the largest number of positives of an anchor.
        margin: minimum difference between the lowest score of the anchor's
            positives and the score of a negative.
        relative_margin: this difference as a fraction of the lowest positive
            score.
        ranker: object with the method `predict` for lists of (anchor,
            document) pairs, such as a `PairRanker`. Its scores replace the
            similarities of candidates and positives.
        overwrite: whether to overwrite the file of an earlier call.

    Returns:
        The number of triplets.

    Raises:
        ValueError: an argument is invalid, the file exists, or no candidate
            is left.

    References:
        [NV-Retriever](https://arxiv.org/abs/2407.15831), section 3
    """
    checks.at_least(1, num_negatives=num_negatives)
    checks.at_least(0, range_min=range_min)
    margins = {"margin": margin, "relative_margin": relative_margin}
    given = {name: x for name, x in margins.items() if x is not None}
    checks.not_negative(**given)
    if ranker is not None and not hasattr(ranker, "predict"):
        raise ValueError(
            "`ranker` must be an object with the method `predict`, such as a "
            f"`PairRanker`. Received: ranker={brief(ranker)}."
        )
    positives = _positives(pairs)
    documents = [] if corpus is None else _decoded(corpus, SINGLE_KEYS)[0]
    documents += [text for texts in positives.values() for text in texts]
    documents = [*dict.fromkeys(documents)]
    if range_max is None:
        range_max = range_min + 10 * num_negatives
        range_max += max(map(len, positives.values()))
    checks.at_least(range_min + num_negatives, range_max=range_max)
    settings = {"num_negatives": num_negatives, "range_min": range_min}
    settings |= {"range_max": range_max, **margins, "ranker": repr(ranker)}
    context = {**_identity(embedder, [*positives][0]), "settings": settings}
    if not str(output_file).endswith(".jsonl"):
        raise ValueError(
            "`output_file` must be a .jsonl file. Received: "
            f"{str(output_file)!r}."
        )
    with new_file(output_file, context, (), overwrite) as name:
        indices, scores = _candidates(
            embedder, positives, documents, range_max, margins, ranker
        )
        chosen = slice(range_min, range_min + num_negatives)
        negatives = [
            [documents[index] for index in row[is_left]]
            for row, is_left in zip(
                indices[:, chosen], np.isfinite(scores[:, chosen]), strict=True
            )
        ]
        if not any(negatives):
            raise ValueError(
                "The ranges and margins exclude all negatives. Relax them or "
                f"add documents. Received: {len(documents)} documents, "
                f"{settings}."
            )
        return _write(name, positives, negatives)


def read_hard_negatives(
    path: Path, embedder: typing.Any
) -> list[tuple[str, str, str]]:
    """Read triplets written by `mine_hard_negatives`.

    Args:
        path: file written by `mine_hard_negatives`, with its manifest.
        embedder: the embedder to train.

    Returns:
        A list of (anchor, positive, negative) tuples for `TextEmbedder.fit`.

    Raises:
        ValueError: the file was changed, has no manifest, or was mined with a
            different embedder, so that its negatives may not be hard.
    """
    table = read_cells(path, {name: name for name in _COLUMNS})
    _, values = manifest_of(path)
    if "embedder" not in (values or {}):
        raise ValueError(
            f"{path} must have a manifest written by `mine_hard_negatives`, "
            f"{manifest_path_for(path)}. Mine the negatives again, "
            f"or call `read_columns` with {_COLUMNS}."
        )
    current = _identity(embedder, values["text"])
    # Earlier versions wrote only the vector of a query.
    vectors = [
        (np.array(values[name]), np.array(current[name]))
        for name in ("vector", "document_vector")
        if name in values
    ]
    if not all(_is_same(*pair) for pair in vectors):
        raise ValueError(
            f"{path} must be mined with the embedder to train. Received: "
            f"vectors of a different embedder, {values['embedder']}. Mine the "
            f"negatives again, or call `read_columns` with {_COLUMNS}."
        )
    return [*zip(*table.columns.values(), strict=True)]


def _is_same(before, now):
    return before.shape == now.shape and np.linalg.norm(
        before - now
    ) <= _TOLERANCE * np.linalg.norm(before)


def _identity(embedder, text):
    """Return values that identify an embedder, with its vectors for a text."""
    query, document = (
        as_array(embed([text]))[0].tolist()
        for embed in (embedder.embed_query, embedder.embed_document)
    )
    return {
        "embedder": repr(embedder),
        "text": text,
        "vector": query,
        "document_vector": document,
    }


def _decoded(texts, keys):
    """Check texts and return a list of str for each column."""
    columns = encoded_texts(texts, keys)
    return [[text.decode() for text in column] for column in columns]


def _positives(pairs):
    """Return a dict mapping anchors to lists of distinct positives."""
    positives: dict = {}
    for anchor, positive in zip(*_decoded(pairs, _PAIR_KEYS), strict=True):
        positives.setdefault(anchor, {})[positive] = None
    if not positives:
        raise ValueError("`pairs` must not be empty. Received: pairs=[].")
    return {anchor: [*texts] for anchor, texts in positives.items()}


def _candidates(embedder, positives, documents, range_max, margins, ranker):
    """Return the candidate documents of each anchor.

    Returns:
        Document indices, int `(num_anchors, num_candidates)`, and their scores,
        best first. Excluded documents have the score -inf.
    """
    anchors, index_of = [*positives], {x: n for n, x in enumerate(documents)}
    right = np.array(
        [
            (n, index_of[x])
            for n, xs in enumerate(positives.values())
            for x in xs
        ]
    )
    own = [(n, index_of[x]) for n, x in enumerate(anchors) if x in index_of]
    queries = embedder.embed_query(anchors)
    vectors = embedder.embed_document(documents)
    most = max(map(len, positives.values()))
    similarity = similarity_of(embedder)
    indices, scores = search(
        queries, vectors, range_max + most + bool(own), similarity
    )
    rows = np.repeat(np.arange(len(anchors)), indices.shape[1])
    candidates = np.stack([rows, indices.ravel()], axis=1)
    if ranker is None:
        right_scores = _in_blocks(
            right,
            lambda block: _similarities(
                queries[block[0]], vectors[block[1]], similarity
            ),
        )
    else:
        right_scores, scores = (
            _in_blocks(
                ids,
                lambda block: ranker.predict(
                    [(anchors[n], documents[x]) for n, x in block.T]
                ),
            )
            for ids in (right, candidates)
        )
    keys, known = (
        np.array(ids) @ [len(documents), 1]
        for ids in (candidates, [*right, *own])
    )
    limits = _limits(right[:, 0], right_scores, **margins)
    scores = scores.ravel()
    is_out = np.isin(keys, known) | (scores > limits[rows])
    scores = np.where(is_out, -np.inf, scores).reshape(indices.shape)
    order = np.lexsort((indices, -scores))[:, :range_max]
    return (np.take_along_axis(x, order, axis=1) for x in (indices, scores))


def _in_blocks(ids, score):
    """Score index pairs block by block and return a float32 array."""
    starts = range(0, len(ids), _PAIRS_AT_ONCE)
    blocks = [score(ids[start : start + _PAIRS_AT_ONCE].T) for start in starts]
    scores = np.concatenate([np.ravel(block) for block in blocks])
    if len(scores) != len(ids) or not np.isfinite(scores).all():
        raise ValueError(
            "`ranker.predict` must return a finite score for each pair. "
            f"Received: {scores} for {len(ids)} pairs."
        )
    return scores.astype(np.float32)


def _similarities(first, second, similarity):
    dots = pair_scores(first, second)
    if similarity == "dot" or isinstance(first, MultiVectors):
        return dots  # Token vectors have length 1.
    squares = pair_scores(first, first) * pair_scores(second, second)
    return dots / np.maximum(np.sqrt(squares), 1e-12)


def _limits(anchors, scores, margin, relative_margin):
    """Return the maximum score of a negative for each anchor."""
    lowest = np.full(anchors.max() + 1, np.inf, np.float32)
    np.minimum.at(lowest, anchors, scores)
    limits = np.full_like(lowest, np.inf)
    if margin is not None:
        limits = lowest - margin
    if relative_margin is not None:
        share = relative_margin * np.abs(lowest)
        limits = np.minimum(limits, lowest - share)
    return limits


def _write(path, positives, negatives):
    """Write the triplets and return their number."""
    count = 0
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for (anchor, texts), mined in zip(
            positives.items(), negatives, strict=True
        ):
            for triplet in itertools.product([anchor], texts, mined):
                values = dict(zip(_COLUMNS, triplet, strict=True))
                file.write(json.dumps(values, ensure_ascii=False) + "\n")
                count += 1
    return count
