"""Sparse text embeddings over the vocabulary."""

import collections.abc
import copy
import typing

import keras
import numpy as np
import numpy.typing
from keras import ops

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.lazy import LazyPackage
from keras_bert.lazy_tensorflow import tf
from keras_bert.losses import CosineSimilarityLoss
from keras_bert.losses import EmbeddingLoss
from keras_bert.losses import MultipleNegativesRankingLoss
from keras_bert.losses import SpladeLoss
from keras_bert.messages import brief
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.embedder import Embedder
from keras_bert.tasks.embedder import Files
from keras_bert.tasks.embeddings.examples import EmbeddingExamples
from keras_bert.tasks.embeddings.prompts import PromptPreprocessor
from keras_bert.tasks.embeddings.prompts import Prompts
from keras_bert.tasks.embeddings.search import SIMILARITIES
from keras_bert.tasks.embeddings.sparse import ACTIVATIONS
from keras_bert.tasks.embeddings.sparse import POOLINGS
from keras_bert.tasks.embeddings.sparse import PieceWeights
from keras_bert.tasks.embeddings.sparse import lookup_model
from keras_bert.tasks.embeddings.sparse import sparse_model
from keras_bert.tasks.embeddings.sparse_saving import load_sparse_embedder
from keras_bert.tasks.embeddings.sparse_saving import own_settings_and_files
from keras_bert.tasks.embeddings.sparse_saving import published_sparse_files
from keras_bert.tasks.training.forward import BATCH_TOKENS
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.typing import Path
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

if typing.TYPE_CHECKING:
    import scipy.sparse as sparse
else:
    sparse = LazyPackage("scipy.sparse", "SparseEmbedder")

# Weights of the regularizers in the examples of sentence-transformers.
_DOCUMENT_WEIGHT, _QUERY_WEIGHT = 3e-5, 5e-5
_FIXED_DIMS = 256


class SparseEmbedder(Embedder["sparse.csr_array"]):
    """Text embedder with a weight for each word piece of the vocabulary.

    The weights are the logits of the masked-LM head, pooled over the tokens.
    Most weights are 0, so that the embeddings fit the inverted index of a
    search engine. The active word pieces include words that are not in the
    text.

    Args:
        pretrained: model with a masked-LM head.
        seq_length: maximum length of a text in word pieces, [CLS] and [SEP]
            included; longer texts are truncated. Defaults to the saved length,
            or to the model's maximum.
        pooling: "max" or "sum" over the tokens.
        activation: "relu" for the weights log(1 + relu(logit)), or "log1p_relu"
            to take the logarithm of 1 + x twice.
        batch_tokens: maximum number of tokens computed together. Small
            batches fit the caches of a CPU; a GPU needs larger ones.
        prompts, default_prompt_name: see `TextEmbedder`.
        max_active_dims: maximum number of active dimensions of an embedding;
            the largest weights are kept. None for no limit.
        similarity: similarity function of the embeddings, "dot" or "cosine",
            used by `evaluate` and `evaluate_retrieval`.
        query_weights: weights of the vocabulary, float `(vocab_size,)`, such as
            IDF weights, to embed queries without the encoder: the embedding of
            a query has the weights of its word pieces. None to embed queries
            like documents.
        freeze_query_weights: whether `fit` keeps `query_weights` unchanged.

    Attributes:
        dim: size of the embeddings, the `vocab_size` of the model.
        pretrained: the encoder with its masked-LM head.

    Example:

    >>> embedder = keras_bert.SparseEmbedder.from_pretrained("directory")
    >>> embeddings = embedder.embed(["some text", "another"])
    >>> words = embedder.decode(embeddings, top_k=2)

    References:
        [SPLADE v2](https://arxiv.org/abs/2109.10086);
        [SPLADE-v3](https://arxiv.org/abs/2403.06789)
    """

    none_values = ("default_prompt_name", "max_active_dims")
    integer_outputs = ("piece_ids",)
    _statistics = ("active_dims",)

    def __init__(
        self,
        pretrained: PretrainedModel,
        seq_length: int | None = None,
        pooling: str = "max",
        activation: str = "relu",
        batch_tokens: int = BATCH_TOKENS,
        prompts: dict[str, str] | None = None,
        default_prompt_name: str | None = None,
        max_active_dims: int | None = None,
        similarity: str = "dot",
        query_weights: np.typing.ArrayLike | None = None,
        freeze_query_weights: bool = False,
    ):
        checks.one_of(POOLINGS, pooling=pooling)
        checks.one_of(ACTIVATIONS, activation=activation)
        checks.one_of(SIMILARITIES, similarity=similarity)
        checks.flag(freeze_query_weights=freeze_query_weights)
        self.pretrained = pretrained.with_parts({"masked_lm_head"})
        self.model = sparse_model(self.pretrained, pooling, activation)
        self.dim = self.model.output["embedding"].shape[-1]
        if max_active_dims is not None:
            checks.between(1, self.dim, max_active_dims=max_active_dims)
        self.prompts = Prompts(prompts or {}, default_prompt_name)
        seq_length = pretrained.sequence_length(seq_length)
        self.similarity, self.max_active_dims = similarity, max_active_dims
        self.settings = {
            "pooling": pooling,
            "activation": activation,
            "prompts": self.prompts.prompts,
            "default_prompt_name": self.prompts.default_prompt_name,
            "max_active_dims": max_active_dims,
            "similarity": similarity,
            "seq_length": seq_length,
            "freeze_query_weights": freeze_query_weights,
        }
        self.preprocess = PromptPreprocessor(
            self.prompts.named(),
            pretrained.tokenizer,
            pretrained.family.template,
            seq_length,
        )
        self.input_names = tuple(pretrained.backbone.inputs)
        self.output_names = ("piece_ids", "weights")
        self._embed = self._embed_queries = Forward(self.model, batch_tokens)
        self.piece_weights = None
        if query_weights is not None:
            self.piece_weights = self._lookup(query_weights)
            self.piece_weights.trainable = not freeze_query_weights
            inputs = pretrained.backbone.inputs
            self.query_model = lookup_model(inputs, self.piece_weights)
            self._embed_queries = Forward(self.query_model, batch_tokens)

    def _lookup(self, query_weights: np.typing.ArrayLike) -> PieceWeights:
        """Check the weights of queries and return a layer with them."""
        values = np.asarray(query_weights)
        if values.shape != (self.dim,) or values.dtype.kind not in "fiu":
            raise ValueError(
                "`query_weights` must be floats, one for each of the "
                f"{self.dim} word pieces. Received: an array of {values.dtype} "
                f"and shape {values.shape}."
            )
        for index in np.flatnonzero(~np.isfinite(values))[:1]:
            raise ValueError(
                "`query_weights` must be finite. Received: "
                f"{values[index]} at index {index}."
            )
        values = values.astype(np.float32)
        vocabulary = self.preprocess.tokenizer.vocabulary
        special = {vocabulary.id_of(x) for x in self.preprocess.template.tokens}
        return PieceWeights(values, sorted(special))

    def _forwards(self) -> list[Forward]:
        return [self._embed, self._embed_queries]

    @classmethod
    def _load(
        cls, directory: Path, **arguments: typing.Any
    ) -> tuple[PretrainedModel, dict[str, typing.Any]]:
        return load_sparse_embedder(directory, **arguments)

    def _saved(self) -> tuple[dict[str, typing.Any], Files]:
        return own_settings_and_files(self)

    def _published_model_and_files(self) -> tuple[PretrainedModel, Files]:
        if self.model is self.query_model:
            raise ValueError(
                "A lookup of query weights has no format of another library. "
                "Export a SavedModel or TFLite files, or pass "
                'names="keras_bert". Received: an embedder of queries.'
            )
        return self.pretrained.without_task(), published_sparse_files(self)

    def for_queries(self) -> typing.Self:
        queries = super().for_queries()
        queries._embed = self._embed_queries
        return queries

    def decode(
        self, embeddings: "sparse.csr_array", top_k: int | None = None
    ) -> typing.Any:
        """Return the active word pieces of embeddings.

        Args:
            embeddings: result of `embed` for a text or for a list of texts.
            top_k: maximum number of word pieces of a text. None for all.

        Returns:
            A list of (word piece, weight) tuples, largest weight first, for a
            text, or a list of such lists.
        """
        if top_k is not None:
            checks.at_least(1, top_k=top_k)
        if getattr(embeddings, "shape", (0,))[-1] != self.dim:
            raise ValueError(
                f"`embeddings` must have {self.dim} columns, as the result of "
                f"`embed`. Received: {brief(embeddings)}."
            )
        rows = sparse.csr_array(embeddings)
        tokens = self.preprocess.tokenizer.vocabulary.tokens
        decoded = []
        for start, end in zip(rows.indptr, rows.indptr[1:], strict=False):
            ids, weights = rows.indices[start:end], rows.data[start:end]
            is_token = ids < len(tokens)  # The table may have more rows.
            ids, weights = ids[is_token], weights[is_token]
            order = np.lexsort((ids, -weights))[:top_k]
            decoded.append(
                [
                    (tokens[index], float(weight))
                    for index, weight in zip(
                        ids[order], weights[order], strict=True
                    )
                ]
            )
        return decoded[0] if len(embeddings.shape) == 1 else decoded

    @one_or_many
    def predict(self, texts: Texts) -> list[dict[str, float]]:
        """Return the active word pieces of each text with their weights.

        A dict of word pieces is a value of a `rank_features` field of
        OpenSearch and Elasticsearch.

        Args:
            texts: str or list of str. Lists may be empty.

        Returns:
            A list of dicts from word pieces to weights, largest weight first,
            or such a dict for a single text.
        """
        return [dict(words) for words in self.decode(self.embed(texts))]

    def predict_ids(
        self, inputs: Tensors, model: collections.abc.Callable | None = None
    ) -> Tensors:
        """Compute the active word pieces in a TensorFlow graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.
            model: argument of `Task.predict_ids`.

        Returns:
            A dict with `weights`, float32, in descending order of their
            absolute values, and `piece_ids`, int32, both `(batch_size,
            num_active)`, where `num_active` is the largest number of active
            word pieces of a text in the batch, or `max_active_dims`, which is
            256 in TFLite and OpenVINO if there is no limit. Texts with fewer
            active pieces are padded with weight 0 and id -1.
        """
        embeddings = super().predict_ids(inputs, model)["embedding"]
        num_active = self.max_active_dims
        if num_active is None:
            counts = tf.math.count_nonzero(embeddings, axis=1, dtype=tf.int32)
            num_active = tf.reduce_max(tf.concat([counts, [1]], axis=0))
        _, ids = tf.math.top_k(tf.abs(embeddings), num_active)
        weights = tf.gather(embeddings, ids, batch_dims=1)
        is_active = tf.not_equal(weights, 0.0)
        return {"piece_ids": tf.where(is_active, ids, -1), "weights": weights}

    def _with_fixed_sizes(self) -> typing.Self:
        if self.max_active_dims is not None:
            return self
        task = copy.copy(self)
        task.max_active_dims = min(_FIXED_DIMS, self.dim)
        task.settings = {
            **self.settings,
            "max_active_dims": task.max_active_dims,
        }
        return task

    def _row_embeddings(
        self, rows: RaggedRows, preprocess: PromptPreprocessor | None = None
    ) -> "sparse.csr_array":
        """Compute the embeddings of tokenized texts."""
        blocks, order = [sparse.csr_array((0, self.dim), dtype=np.float32)], []
        for indices, outputs in self._embed(rows):
            blocks.append(sparse.csr_array(self._limited(outputs["embedding"])))
            order.extend(indices)
        return sparse.vstack(blocks, format="csr")[np.argsort(order)]

    def _sides(
        self, examples: EmbeddingExamples
    ) -> "tuple[sparse.csr_array, sparse.csr_array]":
        documents = self._row_embeddings(examples.rows)
        if self.query_model is None:
            return documents, documents
        return self.for_queries()._row_embeddings(examples.rows), documents

    def _limited(self, embeddings: np.ndarray) -> np.ndarray:
        """Keep the `max_active_dims` largest weights of each row."""
        if self.max_active_dims is None:
            return embeddings
        _, ids = ops.top_k(np.abs(embeddings), self.max_active_dims)
        kept = np.zeros(embeddings.shape, bool)
        np.put_along_axis(kept, ops.convert_to_numpy(ids), True, axis=1)
        return np.where(kept, embeddings, 0)

    def _joined(
        self, chunks: "collections.abc.Iterable[sparse.csr_array]", count: int
    ) -> "sparse.csr_array":
        empty = sparse.csr_array((0, self.dim), dtype=np.float32)
        return sparse.vstack([empty, *chunks], format="csr")

    def _default_losses(self) -> collections.abc.Sequence[EmbeddingLoss]:
        scale = {"dot": 1.0, "cosine": 20.0}[self.similarity]
        ranking = MultipleNegativesRankingLoss(
            scale=scale, similarity=self.similarity
        )
        return [
            SpladeLoss(loss, _DOCUMENT_WEIGHT, _QUERY_WEIGHT)
            for loss in (ranking, CosineSimilarityLoss())
        ]

    def _training_metrics(self) -> list[keras.metrics.Metric]:
        def active_dims(targets, embeddings):
            counts = ops.sum(ops.cast(embeddings != 0, "float32"), axis=-1)
            return ops.mean(counts, axis=-1)

        return [keras.metrics.MeanMetricWrapper(active_dims, "active_dims")]

    def _metrics(
        self,
        examples: EmbeddingExamples,
        sides: "tuple[sparse.csr_array, sparse.csr_array]",
    ) -> dict[str, float]:
        _, documents = sides
        return {
            "active_dims": documents.nnz / documents.shape[0],
            **super()._metrics(examples, sides),
        }
