"""Evaluation of embedders on retrieval datasets."""

import typing

from keras_bert.tasks.embeddings.search import search
from keras_bert.tasks.embeddings.search import similarity_of
from keras_bert.tasks.outputs.ranking_metrics import RANKING_LENGTH
from keras_bert.tasks.outputs.ranking_metrics import retrieval_metrics
from keras_bert.tasks.readers.beir import RetrievalData
from keras_bert.tasks.readers.beir import positive_grades


def evaluate_retrieval(
    embedder: typing.Any, data: RetrievalData, similarity: str | None = None
) -> dict[str, float]:
    """Evaluate an embedder on a retrieval dataset.

    Queries without relevant documents are ignored. Documents with equal scores
    are ranked by id in descending order, as in trec_eval.

    Args:
        embedder: `TextEmbedder`, `SparseEmbedder`, `LateInteractionEmbedder`,
            or an object with methods `embed_query` and `embed_document`.
        data: queries, documents and relevance, such as the result of
            `read_beir`.
        similarity: "cosine" or "dot", see `search`. Defaults to the
            embedder's `similarity`, if it has one, or "cosine".

    Returns:
        A dict of metrics, such as `ndcg_at_10`; see `retrieval_metrics`.
    """
    names = [*positive_grades(data.relevance)]
    documents = sorted(data.corpus, key=str, reverse=True)
    indices, _ = search(
        embedder.embed_query([data.queries[name] for name in names]),
        embedder.embed_document([data.corpus[name] for name in documents]),
        RANKING_LENGTH,
        similarity or similarity_of(embedder),
    )
    rankings = {
        name: [documents[index] for index in row]
        for name, row in zip(names, indices, strict=True)
    }
    return retrieval_metrics(rankings, data.relevance)
