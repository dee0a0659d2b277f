"""Base class for tasks that embed texts and compare their embeddings."""

import collections.abc
import copy
import dataclasses
import pathlib
import typing

import keras

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.losses import CosineSimilarityLoss
from keras_bert.losses import EmbeddingLoss
from keras_bert.losses import MultipleNegativesRankingLoss
from keras_bert.messages import brief
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import first_examples
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.columns import select_columns
from keras_bert.tasks.embeddings.cached_gradients import check_mini_batch_size
from keras_bert.tasks.embeddings.directories import save_directory
from keras_bert.tasks.embeddings.examples import EmbeddingExamples
from keras_bert.tasks.embeddings.examples import evaluation_examples
from keras_bert.tasks.embeddings.examples import with_labels
from keras_bert.tasks.embeddings.mixture import SAMPLINGS
from keras_bert.tasks.embeddings.prompts import PromptPreprocessor
from keras_bert.tasks.embeddings.prompts import Prompts
from keras_bert.tasks.embeddings.scores import RETRIEVAL_METRICS
from keras_bert.tasks.embeddings.scores import SCORED_METRICS
from keras_bert.tasks.embeddings.scores import retrieval_scores
from keras_bert.tasks.embeddings.scores import scored_pair_scores
from keras_bert.tasks.embeddings.training import embedding_learner
from keras_bert.tasks.embeddings.training import examples_and_loss
from keras_bert.tasks.embeddings.training import mean_loss
from keras_bert.tasks.embeddings.training import validation_loss
from keras_bert.tasks.task import Task
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.tasks.training.fine_tune import fine_tune
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.forward import progress_bar
from keras_bert.tasks.training.monitoring import Validation
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.tasks.training.recipe import HasRecipe
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.typing import Arguments
from keras_bert.typing import Path
from keras_bert.typing import Texts

_Task = typing.TypeVar("_Task", bound=Task)
_Vectors = typing.TypeVar("_Vectors")

Files: typing.TypeAlias = dict[
    str, collections.abc.Callable[[pathlib.Path], object]
]
"""Functions that write a file to a path, by the name of the file."""

# Number of texts that are tokenized together.
_TEXTS_AT_ONCE = 16384


class Embedder(Task, typing.Generic[_Vectors]):
    """Base class for tasks that embed texts and compare their embeddings.

    A subclass sets the attributes, and defines `_load`, `_saved`, `_forwards`,
    `_row_embeddings` and `_joined`.

    Attributes:
        prompts: `Prompts`.
        dim: size of the embeddings.
        similarity: similarity function of the embeddings, "cosine" or "dot".
        pretrained: the encoder.
        model: model that takes single texts and returns `embedding`.
        query_model: the model of the first text of each example, or None if it
            is `model`.
        query_preprocess: the preprocessor of the first text of each example, or
            None if it is `preprocess`.
        has_several_vectors: whether a text has a vector for each token.
        formats: formats of `save`.
    """

    output_names = ("embedding",)
    formats = ("keras", "hf")
    recipe_class = Recipe
    preprocess: PromptPreprocessor
    prompts: Prompts
    dim: int
    similarity: str
    pretrained: PretrainedModel
    query_model: keras.Model | None = None
    query_preprocess: PromptPreprocessor | None = None
    has_several_vectors: bool = False
    # Names of further results of `_metrics`.
    _statistics: tuple[str, ...] = ()

    @classmethod
    def from_pretrained(
        cls: collections.abc.Callable[
            typing.Concatenate[typing.Any, Arguments], _Task
        ],
        directory: Path,
        lowercase: bool | None = None,
        special_tokens_in_text: bool | None = None,
        strict: bool = False,
        route: str | None = None,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> _Task:
        """Load an embedder from a checkpoint.

        Args:
            directory, lowercase, special_tokens_in_text, strict: see
                `keras_bert.from_pretrained`.
            route: route to load of a Router of sentence-transformers, which
                has different modules for "query" and "document". Required if
                the checkpoint has several.
            **kwargs: arguments of the class.

        Raises:
            CheckpointError: a file is missing or cannot be used. It is a
                subclass of ValueError.
            ValueError: an argument is out of range.
        """
        how = {
            "lowercase": lowercase,
            "special_tokens_in_text": special_tokens_in_text,
            "strict": strict,
            "route": route,
        }
        return cls._read(directory, how, args, kwargs)

    @classmethod
    def _merged(
        cls, own: dict[str, typing.Any], given: dict[str, typing.Any]
    ) -> dict[str, typing.Any]:
        # New prompts may lack the saved default.
        saved = own.get("default_prompt_name")
        if saved is not None and saved not in given.get("prompts", [saved]):
            own = {**own, "default_prompt_name": None}
        return {**own, **given}

    @property
    def batch_tokens(self) -> int:
        """Maximum number of tokens computed together. Can be assigned."""
        return self._forwards()[0].batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value: int) -> None:
        for forward in self._forwards():
            forward.batch_tokens = value

    def _forwards(self) -> list[Forward]:
        """Return all objects that compute embeddings."""
        raise NotImplementedError

    def save(
        self, directory: Path, format: str = "keras", overwrite: bool = False
    ) -> None:
        """Save the embedder to a directory that `from_pretrained` can load.

        Args:
            directory: directory to write; it is created if needed.
            format: "keras" (this library), or "hf" (sentence-transformers; for
                `LateInteractionEmbedder` also PyLate).
            overwrite: whether to overwrite the files of an earlier save.

        Raises:
            ValueError: the format does not support the embedder, or the
                directory contains a file that may not be overwritten.
        """
        settings, files = self._saved()
        save_directory(self, directory, format, overwrite, settings, files)

    def _saved(self) -> tuple[dict[str, typing.Any], Files]:
        """Return the settings and the files of the format "keras"."""
        raise NotImplementedError

    def fit(
        self: HasRecipe[Arguments],
        texts: typing.Any,
        labels: typing.Any = None,
        validation_data: typing.Any = None,
        callbacks: collections.abc.Sequence[keras.callbacks.Callback] = (),
        verbose: str | int = "auto",
        loss: EmbeddingLoss | dict[str, EmbeddingLoss] | None = None,
        mini_batch_size: int | None = None,
        no_duplicates: bool = False,
        columns: collections.abc.Sequence[str] | None = None,
        sampling: str = "proportional",
        *args: Arguments.args,
        **recipe: Arguments.kwargs,
    ) -> keras.callbacks.History:
        """Fine-tune the encoder and the layers after it.

        By default, examples without labels are trained with in-batch negatives:
        the model learns to find the positive of each anchor among the texts of
        the batch. Larger batches give better embeddings. For scored pairs, the
        cosine similarity is trained to equal the score, except for
        `LateInteractionEmbedder`, which has no loss for them.
        `keras_bert.losses` has other losses, including distillation losses.

        Args:
            texts: list, array or table of (anchor, positive, negatives)
                tuples; if there are labels, of pairs or of other examples that
                the loss accepts. Or a `tf.data.Dataset` of examples or of
                (example, label) tuples. Or a dict of datasets, see `loss`.
            labels: number or list of numbers for each example: the similarity
                of a pair, or a teacher's scores or vector. None if there are no
                labels.
            validation_data: a tuple of pairs and scores, or a list or dataset
                of examples. The examples may have a different type than the
                training data. The weights of the epoch with the best
                `mean_reciprocal_rank` (for scored pairs: the best `spearman`)
                are kept.
            callbacks: list of Keras callbacks. They can monitor `loss` and,
                with `validation_data`, `val_loss` and the metrics of
                `evaluate`, such as `val_spearman`.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            loss: loss of `keras_bert.losses`. Defaults to
                `MultipleNegativesRankingLoss` for examples without labels, and
                `CosineSimilarityLoss` for scored pairs, and to the losses in
                the documentation of `SparseEmbedder` and
                `LateInteractionEmbedder`. To train on several
                datasets, pass dicts with the same keys as `texts` and `loss`; a
                dataset with labels is a (texts, labels) tuple. Each batch has
                examples from one dataset.
            mini_batch_size: number of examples whose activations are in memory
                at the same time (gradient caching). A batch of any size then
                needs the memory of a batch of this size. The gradients are the
                same, but the forward pass is computed twice. If None, the whole
                batch is computed at once.
            no_duplicates: whether to form batches in which no text is in two
                examples. Each text of other examples is then a distinct
                negative, but some batches are smaller.
            columns: names of the columns of `texts` and `validation_data` with
                the anchor, the positive and the negatives, in this order, if
                they are tables or rows with other names or other columns, such
                as a `datasets.Dataset`. Labels are in the column `label`.
            sampling: order of the batches of several datasets. "proportional"
                samples a dataset in proportion to its size. "round_robin"
                takes a batch of each dataset in turn, until a dataset has no
                batch left.
            **recipe: fields of `Recipe`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: an example cannot be used. Nothing is trained.
        """
        options = self.recipe_class.of_fit(self.fit, *args, **recipe)
        checks.flag(no_duplicates=no_duplicates)
        checks.one_of(SAMPLINGS, sampling=sampling)
        if mini_batch_size is not None:
            check_mini_batch_size(mini_batch_size, options)
        texts = first_examples(texts, options)
        if columns is not None:
            if isinstance(loss, dict):
                raise ValueError(
                    "`columns` does not apply to several datasets. Rename "
                    f"their columns. Received: columns={brief(columns)}."
                )
            texts, labels = select_columns(texts, columns, labels)
        examples, loss = examples_and_loss(
            loss,
            (texts, labels),
            self,
            options.batch_size,
            no_duplicates,
            sampling,
        )
        validation = None
        if validation_data is not None:
            data = with_labels(validation_data)
            if columns is not None:
                held_out, scores = data
                data = select_columns(held_out, columns, scores)
            validation = self._validation(data, loss, options.batch_size)
        learner = embedding_learner(self, examples, loss, mini_batch_size)
        return fine_tune(
            learner, examples, options, validation, callbacks, verbose
        )

    def evaluate(
        self,
        texts: typing.Any,
        labels: collections.abc.Sequence[float] | None = None,
    ) -> dict[str, float]:
        """Evaluate the similarities of the embeddings.

        Args:
            texts, labels: examples in the format of `fit`.

        Returns:
            A dict of floats. For scored pairs: `pearson` and `spearman`.
            Otherwise: `recall_at_1`, `recall_at_5`, `recall_at_10` and
            `mean_reciprocal_rank` of the positives among all texts except
            anchors. For `SparseEmbedder` also `active_dims`, the mean number of
            active dimensions of a text.
        """
        data = (texts, labels)
        return self._scores(self._evaluation_examples(data))

    def _evaluation_examples(
        self, data: typing.Any, guide: typing.Any = None
    ) -> EmbeddingExamples:
        return evaluation_examples(
            self.preprocess, data, guide, self.query_preprocess
        )

    @one_or_many
    def embed(
        self,
        texts: Texts,
        prompt: str | None = None,
        show_progress_bar: bool = False,
    ) -> _Vectors:
        """Compute the embedding of each text.

        Args:
            texts: str, or list of str. Lists may be empty. Also dicts,
                columns, arrays or tensors of these.
            prompt: name of the prompt to prepend, or its text, such as
                "query: "; "" for no prompt, None for the default prompt.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A float32 array `(num_texts, dim)`, in the order of the texts, or
            `(dim,)` for a single text. `SparseEmbedder` returns a
            `scipy.sparse.csr_array`, or a one-dimensional sparse array for a
            single text. `LateInteractionEmbedder` returns `MultiVectors`, or
            an array `(num_vectors, dim)` for a single text.

        Raises:
            ValueError: the prompt name is unknown, or a text is not a valid
                str. The message names the index of the text.
        """
        prompt, encoded = self.prompts.named(prompt), checked_texts(texts)
        preprocess = self.preprocess.with_prompt(prompt)
        chunks = (
            self._row_embeddings(rows, preprocess)
            for _, rows in row_chunks(preprocess, encoded)
        )
        with progress_bar(show_progress_bar, len(encoded)):
            return self._joined(chunks, len(encoded))

    def embed_query(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> _Vectors:
        """Compute the embeddings of queries with the "query" prompt, if any.

        Args:
            texts: list of str. It may be empty.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            The result of `embed`.
        """
        return self.for_queries().embed(
            texts, show_progress_bar=show_progress_bar
        )

    def for_queries(self) -> typing.Self:
        """Return an embedder of queries, for `predict` and the exports.

        It uses the "query" prompt, if any, and the model of queries, if the
        embedder has one, for all texts.
        """
        queries = copy.copy(self)
        name = self.prompts.first_of("query")
        queries.prompts = dataclasses.replace(
            self.prompts, default_prompt_name=name
        )
        queries.settings = {
            **self.settings,
            "default_prompt_name": queries.prompts.default_prompt_name,
        }
        queries.preprocess = self.query_preprocess
        if queries.preprocess is None:
            prompt = queries.prompts.named()
            queries.preprocess = self.preprocess.with_prompt(prompt)
        if self.query_model is not None:
            queries.model = self.query_model
        return queries

    def embed_document(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> _Vectors:
        """Compute the embeddings of documents with the document prompt, if any.

        The document prompt is the first prompt that exists of "document",
        "passage" and "corpus".

        Args:
            texts: list of str. It may be empty.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            The result of `embed`.
        """
        name = self.prompts.first_of("document", "passage", "corpus")
        return self.embed(texts, name, show_progress_bar)

    def _row_embeddings(
        self, rows: RaggedRows, preprocess: PromptPreprocessor | None = None
    ) -> _Vectors:
        """Compute the embeddings of tokenized texts."""
        raise NotImplementedError

    def _joined(
        self, chunks: collections.abc.Iterable[_Vectors], count: int
    ) -> _Vectors:
        """Concatenate embeddings; `count` is their number."""
        raise NotImplementedError

    def _default_losses(self) -> collections.abc.Sequence[EmbeddingLoss]:
        """Return the losses that `fit` tries if it gets none."""
        return MultipleNegativesRankingLoss(), CosineSimilarityLoss()

    def _training_metrics(self) -> list[keras.metrics.Metric]:
        """Return the metrics of a training batch."""
        return []

    def _scores(self, examples: EmbeddingExamples) -> dict[str, float]:
        """Compute the metrics of examples."""
        return self._metrics(examples, self._sides(examples))

    def _validation(
        self, data: tuple, loss: EmbeddingLoss, batch_size: int
    ) -> Validation:
        """Return the evaluation after each epoch of `fit`.

        Args:
            data: examples and their labels.
            loss: loss of the training.
            batch_size: number of examples of a batch of the loss.
        """
        held_out = self._evaluation_examples(data, loss.guide)
        is_scored = held_out.are_scored_pairs
        names = SCORED_METRICS if is_scored else RETRIEVAL_METRICS
        own_loss = validation_loss(loss, held_out, self._default_losses())
        return Validation(
            lambda: self._validate(held_out, own_loss, batch_size),
            [*(["loss"] if own_loss else []), *self._statistics, *names],
            names[-1],
        )

    def _validate(
        self,
        examples: EmbeddingExamples,
        loss: EmbeddingLoss | None,
        batch_size: int,
    ) -> dict[str, float]:
        sides = self._sides(examples)
        metrics = self._metrics(examples, sides)
        if loss is None:
            return metrics
        return {
            "loss": mean_loss(loss, examples, sides, batch_size),
            **metrics,
        }

    def _sides(self, examples: EmbeddingExamples) -> tuple[_Vectors, _Vectors]:
        """Compute the embeddings of texts as queries and as documents."""
        embeddings = self._row_embeddings(examples.rows)
        return embeddings, embeddings

    def _metrics(
        self, examples: EmbeddingExamples, sides: tuple[_Vectors, _Vectors]
    ) -> dict[str, float]:
        is_cosine = self.similarity == "cosine"
        if not examples.are_scored_pairs:
            return retrieval_scores(sides, examples.groups, is_cosine)
        return scored_pair_scores(
            sides, examples.groups, examples.targets, is_cosine
        )


def row_chunks(
    preprocess: PromptPreprocessor, texts: list[bytes]
) -> collections.abc.Iterator[tuple[int, RaggedRows]]:
    """Yield the start index and the rows of each chunk of texts."""
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[start : start + _TEXTS_AT_ONCE]
        yield start, tokenized_rows(preprocess, some)
