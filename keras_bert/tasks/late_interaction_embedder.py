"""Text embeddings with a vector for each token."""

import collections.abc
import dataclasses
import typing

import keras
import numpy as np

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import save_pretrained
from keras_bert.lazy_tensorflow import tf
from keras_bert.losses import EmbeddingLoss
from keras_bert.losses import MultipleNegativesRankingLoss
from keras_bert.messages import brief
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.embedder import Embedder
from keras_bert.tasks.embedder import Files
from keras_bert.tasks.embeddings.compressed_exports import CompressedExports
from keras_bert.tasks.embeddings.examples import EmbeddingExamples
from keras_bert.tasks.embeddings.late_interaction import document_model
from keras_bert.tasks.embeddings.late_interaction import query_model
from keras_bert.tasks.embeddings.late_interaction_saving import PUNCTUATION
from keras_bert.tasks.embeddings.late_interaction_saving import (
    load_late_interaction_embedder,
)
from keras_bert.tasks.embeddings.late_interaction_saving import (
    own_settings_and_files,
)
from keras_bert.tasks.embeddings.late_interaction_saving import (
    published_late_interaction_files,
)
from keras_bert.tasks.embeddings.late_interaction_saving import (
    stanford_model_and_files,
)
from keras_bert.tasks.embeddings.multi_vectors import MultiVectors
from keras_bert.tasks.embeddings.prompts import MarkedPreprocessor
from keras_bert.tasks.embeddings.prompts import PromptPreprocessor
from keras_bert.tasks.embeddings.prompts import Prompts
from keras_bert.tasks.training.forward import BATCH_TOKENS
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.typing import Path
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

_LENGTH, _QUERY_LENGTH = 180, 32
_LEAST_LENGTH = 4  # [CLS], marker, a token and [SEP].
_MARKERS = {"query": "[unused0]", "document": "[unused1]"}


class LateInteractionEmbedder(CompressedExports, Embedder[MultiVectors]):
    """Text embedder with a vector for each token (ColBERT).

    The similarity of a query and a document is MaxSim: the sum over the tokens
    of the query of their largest cosine similarity with a token of the
    document. `fit` uses `MultipleNegativesRankingLoss(scale=1.0,
    similarity="dot")` by default. Losses for scored pairs are not supported.

    Args:
        pretrained: encoder.
        seq_length: maximum length of a document in word pieces, [CLS], marker
            and [SEP] included; longer documents are truncated. Defaults to the
            saved length, or to 180.
        query_length: maximum length of a query, counted like `seq_length`.
            Defaults to the saved length, or to 32.
        dense: `keras.layers.Dense` layers applied to the hidden states. [] for
            the hidden states themselves. Defaults to the saved layers, or to a
            new projection to `dim` values.
        dim: size of the vectors of a new projection.
        prompts: dict with the prompts of "query" and "document" (str). If a
            prompt, or its first word, is a token of the vocabulary that marks
            queries or documents, it is inserted as a token. Defaults to the
            saved prompts, or to [unused0] and [unused1] if the vocabulary has
            these tokens.
        query_expansion: whether queries are padded with mask tokens to
            `query_length`. Each mask token has a vector, too.
        attend_to_expansion: whether other tokens attend to these mask tokens.
        skip_words: words and punctuation without a vector in documents. Words
            that are no tokens of the vocabulary have no effect. Defaults to the
            saved words, or to punctuation.
        batch_tokens: maximum number of tokens computed together. Small
            batches fit the caches of a CPU; a GPU needs larger ones.

    Attributes:
        dim: size of the vectors.
        pretrained: the encoder.

    Example:

    >>> embedder = keras_bert.LateInteractionEmbedder.from_pretrained(
    ...     "directory"
    ... )
    >>> queries = embedder.embed_query(["a question"])
    >>> documents = embedder.embed_document(["a text", "another text"])
    >>> indices, scores = keras_bert.tasks.search(queries, documents)

    References:
        [ColBERT](https://arxiv.org/abs/2004.12832);
        [ColBERTv2](https://arxiv.org/abs/2112.01488)
    """

    output_names = ("token_embeddings", "num_tokens")
    integer_outputs = ("num_tokens",)
    formats = ("keras", "hf", "colbert")
    has_several_vectors = True
    similarity = "cosine"

    def __init__(
        self,
        pretrained: PretrainedModel,
        seq_length: int | None = None,
        query_length: int | None = None,
        dense: collections.abc.Sequence[keras.layers.Dense] | None = None,
        dim: int = 128,
        prompts: dict[str, str] | None = None,
        query_expansion: bool = True,
        attend_to_expansion: bool = False,
        skip_words: collections.abc.Sequence[str] = PUNCTUATION,
        batch_tokens: int = BATCH_TOKENS,
    ):
        checks.flag(query_expansion=query_expansion)
        checks.flag(attend_to_expansion=attend_to_expansion)
        limit = pretrained.sequence_length()
        if seq_length is None:
            seq_length = min(_LENGTH, limit)
        if query_length is None:
            query_length = min(_QUERY_LENGTH, limit)
        pretrained.sequence_length(seq_length)
        checks.between(_LEAST_LENGTH, limit, query_length=query_length)
        vocabulary = pretrained.tokenizer_settings.vocabulary
        if prompts is None:
            has_markers = {*_MARKERS.values()} <= {*vocabulary.tokens}
            prompts = _MARKERS if has_markers else {}
        self.pretrained = pretrained.with_parts(())
        size = pretrained.config.sizes["H"]
        if dense is None:
            checks.at_least(1, dim=dim)
            dense = [_projection(size, dim)]
        self.dense = self.pretrained.added_layers = _checked_dense(dense)
        self.dim = self.dense[-1].units if self.dense else size
        skip_words = _checked_words(skip_words)
        names = Prompts(prompts).first_of("document", "passage", "corpus")
        self.prompts = Prompts(prompts, names)
        self.settings = {
            "seq_length": seq_length,
            "query_length": query_length,
            "prompts": self.prompts.prompts,
            "query_expansion": query_expansion,
            "attend_to_expansion": attend_to_expansion,
            "skip_words": skip_words,
        }
        tokenizer = _without_markers(pretrained, self.prompts.prompts)
        self.preprocess, self.query_preprocess = (
            MarkedPreprocessor(
                self.prompts.named(name),
                tokenizer,
                pretrained.family.template,
                length,
            )
            for name, length in (
                (names, seq_length),
                (self.prompts.first_of("query"), query_length),
            )
        )
        self.input_names = tuple(pretrained.backbone.inputs)
        self.model = document_model(
            self.pretrained, self.dense, _ids_of(skip_words, vocabulary)
        )
        self.query_model = self._query_model()
        self._embed = Forward(self.model, batch_tokens)
        self._embed_queries = Forward(self.query_model, batch_tokens)

    def _query_model(self) -> keras.Model:
        if not self.settings["query_expansion"]:
            return document_model(self.pretrained, self.dense)
        vocabulary = self.preprocess.tokenizer.vocabulary
        if "mask" not in vocabulary.roles:
            raise ValueError(
                "`query_expansion` needs a mask token. Received: a vocabulary "
                "without one. Pass query_expansion=False."
            )
        if self.preprocess.template.padding_side == "left":
            raise ValueError(
                "`query_expansion` needs a model that pads texts on the right. "
                f"Received: {self.pretrained.family.name}. Pass "
                "query_expansion=False."
            )
        return query_model(
            self.pretrained,
            self.dense,
            self.settings["query_length"],
            vocabulary.id_of(vocabulary.roles["mask"]),
            self.settings["attend_to_expansion"],
        )

    @classmethod
    def _load(
        cls, directory: Path, **arguments: typing.Any
    ) -> tuple[PretrainedModel, dict[str, typing.Any]]:
        return load_late_interaction_embedder(directory, **arguments)

    def save(
        self, directory: Path, format: str = "keras", overwrite: bool = False
    ) -> None:
        """Save the embedder to a directory that `from_pretrained` can load.

        Args:
            directory: directory to write; it is created if needed.
            format: "keras" (this library), "hf" (PyLate and
                sentence-transformers) or "colbert" (Stanford's ColBERT).
            overwrite: whether to overwrite the files of an earlier save.

        Raises:
            ValueError: the format does not support the embedder, or the
                directory contains a file that may not be overwritten.
        """
        if format != "colbert":
            super().save(directory, format, overwrite)
            return
        pretrained, files = stanford_model_and_files(self)
        save_pretrained(
            pretrained, directory, "hf", overwrite=overwrite, extras=files
        )

    def _saved(self) -> tuple[dict[str, typing.Any], Files]:
        return own_settings_and_files(self)

    def _published_model_and_files(self) -> tuple[PretrainedModel, Files]:
        files = published_late_interaction_files(self)
        return self.pretrained.without_task(), files

    def _forwards(self) -> list[Forward]:
        return [self._embed, self._embed_queries]

    def for_queries(self) -> typing.Self:
        queries = super().for_queries()
        queries._embed = self._embed_queries
        return queries

    @one_or_many
    def predict(self, texts: Texts) -> list[list[list[float]]]:
        """Return the vectors of each text as lists, for JSON.

        Args:
            texts: str or list of str. Lists may be empty.

        Returns:
            A list with a list of vectors for each text, or a list of vectors
            for a single text.
        """
        return [vectors.tolist() for vectors in self.embed(texts)]

    def predict_ids(
        self, inputs: Tensors, model: collections.abc.Callable | None = None
    ) -> Tensors:
        """Compute the vectors of the tokens in a TensorFlow graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.
            model: argument of `Task.predict_ids`.

        Returns:
            A dict with `token_embeddings`, float32 `(batch_size, num_tokens,
            dim)`, padded with zeros, and `num_tokens`, int32 `(batch_size,)`,
            the number of vectors of each text.
        """
        vectors = super().predict_ids(inputs, model)["embedding"]
        is_vector = tf.reduce_any(tf.not_equal(vectors, 0.0), axis=-1)
        counts = tf.reduce_sum(tf.cast(is_vector, tf.int32), axis=-1)
        # The tokens with a vector in their order, then the others. OpenVINO
        # cannot select a number of values that depends on the data.
        length = tf.shape(vectors)[1]
        positions = tf.range(length)
        keys = tf.where(is_vector, length - positions, -positions)
        _, order = tf.math.top_k(tf.cast(keys, tf.float32), length)
        order = order[:, : tf.reduce_max(tf.concat([counts, [1]], axis=0))]
        return {
            "token_embeddings": self._exported(
                tf.gather(vectors, order, batch_dims=1)
            ),
            "num_tokens": counts,
        }

    def _row_embeddings(
        self, rows: RaggedRows, preprocess: PromptPreprocessor | None = None
    ) -> MultiVectors:
        """Compute the embeddings of tokenized texts."""
        vectors: list = [None] * len(rows)
        for indices, outputs in self._embed(rows):
            padded = outputs["embedding"]
            is_vector = np.any(padded, axis=-1)
            for index, row, mask in zip(
                indices, padded, is_vector, strict=True
            ):
                vectors[index] = row[mask]
        return self._joined([vectors], len(rows))

    def _joined(
        self, chunks: collections.abc.Iterable, count: int
    ) -> MultiVectors:
        empty = np.empty((0, self.dim), np.float32)
        arrays = [array for chunk in chunks for array in chunk]
        return MultiVectors(
            np.concatenate([empty, *arrays]), [*map(len, arrays)]
        )

    def _sides(
        self, examples: EmbeddingExamples
    ) -> tuple[MultiVectors, MultiVectors]:
        # The rows of queries are before those of documents.
        count, rows = examples.groups[:, 0].max() + 1, examples.rows
        queries = self.for_queries()._row_embeddings(
            rows.subset(slice(None, count))
        )
        documents = self._row_embeddings(rows.subset(slice(count, None)))
        both = self._joined([queries, documents], len(rows))
        return both, both

    def _default_losses(self) -> collections.abc.Sequence[EmbeddingLoss]:
        return [MultipleNegativesRankingLoss(scale=1.0, similarity="dot")]


def _projection(size, dim):
    """Return a new projection without bias, as in ColBERT."""
    layer = keras.layers.Dense(dim, use_bias=False, dtype="float32")
    layer.build((None, size))
    return layer


def _without_markers(pretrained, prompts):
    """Return a tokenizer that does not produce markers from texts."""
    settings = pretrained.tokenizer_settings
    kept = [
        token
        for token in settings.added_tokens
        if not any(prompt.startswith(token.text) for prompt in prompts.values())
    ]
    if len(kept) == len(settings.added_tokens):
        return pretrained.tokenizer
    settings = dataclasses.replace(settings, added_tokens=kept)
    return pretrained.with_tokenizer(settings).tokenizer


def _checked_dense(layers):
    is_list = isinstance(layers, list | tuple)
    if not is_list or not all(
        isinstance(layer, keras.layers.Dense) for layer in layers
    ):
        raise ValueError(
            "`dense` must be a list of `keras.layers.Dense`. "
            f"Received: dense={brief(layers)}."
        )
    return list(layers)


def _checked_words(words):
    is_list = isinstance(words, list | tuple)
    if not is_list or not all(isinstance(word, str) for word in words):
        raise ValueError(
            "`skip_words` must be a list of str. Received: "
            f"skip_words={brief(words)}."
        )
    return list(words)


def _ids_of(words, vocabulary):
    """Return the ids of words that are tokens."""
    return [vocabulary.ids[word] for word in words if word in vocabulary.ids]
