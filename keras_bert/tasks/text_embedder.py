"""Text embeddings."""

import collections.abc
import copy
import pathlib
import typing

import keras
import numpy as np

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.losses import EmbeddingLoss
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import first_examples
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.embeddings.cached_gradients import check_mini_batch_size
from keras_bert.tasks.embeddings.compression import check_compression
from keras_bert.tasks.embeddings.compression import compressed
from keras_bert.tasks.embeddings.examples import EmbeddingExamples
from keras_bert.tasks.embeddings.examples import evaluation_examples
from keras_bert.tasks.embeddings.model import embedding_model
from keras_bert.tasks.embeddings.prompts import PromptPreprocessor
from keras_bert.tasks.embeddings.prompts import Prompts
from keras_bert.tasks.embeddings.saving import load_embedder
from keras_bert.tasks.embeddings.saving import published_model_and_files
from keras_bert.tasks.embeddings.saving import save_embedder
from keras_bert.tasks.embeddings.scores import RETRIEVAL_METRICS
from keras_bert.tasks.embeddings.scores import SCORED_METRICS
from keras_bert.tasks.embeddings.scores import retrieval_scores
from keras_bert.tasks.embeddings.scores import scored_pair_scores
from keras_bert.tasks.embeddings.search import SIMILARITIES
from keras_bert.tasks.embeddings.static import static_model
from keras_bert.tasks.embeddings.training import embedding_learner
from keras_bert.tasks.embeddings.training import examples_and_loss
from keras_bert.tasks.embeddings.training import mean_loss
from keras_bert.tasks.embeddings.training import validation_loss
from keras_bert.tasks.task import Task
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.tasks.training.fine_tune import fine_tune
from keras_bert.tasks.training.forward import BATCH_TOKENS
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.forward import progress_bar
from keras_bert.tasks.training.monitoring import Validation
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.tasks.training.recipe import HasRecipe
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.typing import Arguments
from keras_bert.typing import Path
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

if typing.TYPE_CHECKING:
    from keras_bert.export.tflite.comparison import Comparison

_Task = typing.TypeVar("_Task", bound=Task)

# Number of texts that are tokenized together.
_TEXTS_AT_ONCE = 16384


class TextEmbedder(Task):
    """Text embedder that computes one vector per text.

    The model uses the dtype policy that it was loaded with. For bfloat16,
    which is faster on CPUs that support it, load the checkpoint after
    `keras.config.set_dtype_policy("mixed_bfloat16")`. The vectors are always
    float32.

    A checkpoint written by `save` or by sentence-transformers includes
    pooling, dense layers, normalization, length and prompts. Arguments of
    `from_pretrained` override them, and a warning reports each difference.

    Args:
        pretrained: encoder.
        seq_length: maximum length of a text in word pieces, [CLS] and [SEP]
            included; longer texts are truncated. Defaults to the saved length,
            or to the model's maximum.
        pooling: "mean" or "max" over the tokens, "cls" (the vector of the first
            token), "lasttoken", "weightedmean" (weights 1, 2, 3, ... by
            position), "mean_sqrt_len_tokens" (the sum divided by the square
            root of the number of tokens), or "last4" (the mean over the
            concatenated last four layers). Or a list of these, to concatenate
            their vectors. Each vector has size `hidden_size`, or
            `4 * hidden_size` for "last4".
        batch_tokens: maximum number of tokens computed together. Small
            batches fit the caches of a CPU; a GPU needs larger ones.
        dense: `keras.layers.Dense` layers applied to the pooled vector, such
            as a projection to fewer dimensions.
        normalize: whether to scale the vectors to length 1.
        prompts: dict mapping names to prompts (str) that `embed` prepends to
            texts. {} for no prompts, also without the default of a checkpoint.
        default_prompt_name: name of the default prompt, also for `fit`,
            `evaluate`, `layers` and exported models. None or "" for no prompt.
        include_prompt: whether pooling includes the prompt tokens and the
            [CLS] token before them.
        truncate_dim: number of values of each vector to keep, counted from the
            first, after the normalization. `fit` trains these values. None for
            all values.
        similarity: similarity function of the vectors, "cosine" or "dot", used
            by `evaluate` and `evaluate_retrieval`.

    Attributes:
        dim: size of the embeddings.
        pretrained: the encoder.

    Example:

    >>> embedder = keras_bert.TextEmbedder.from_pretrained("directory")
    >>> embedder.embed(["some text", "another"]).shape
    (2, 384)

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3;
        [Sentence-BERT](https://arxiv.org/abs/1908.10084)
    """

    output_names = ("embedding",)
    recipe_class = Recipe
    none_values = ("default_prompt_name", "truncate_dim")
    preprocess: PromptPreprocessor
    dim: int
    _compression: tuple[int | None, str] | None = None

    def __init__(
        self,
        pretrained: PretrainedModel,
        seq_length: int | None = None,
        pooling: str | collections.abc.Sequence[str] = "mean",
        batch_tokens: int = BATCH_TOKENS,
        dense: collections.abc.Sequence[keras.layers.Dense] = (),
        normalize: bool = False,
        prompts: dict[str, str] | None = None,
        default_prompt_name: str | None = None,
        include_prompt: bool = True,
        truncate_dim: int | None = None,
        similarity: str = "cosine",
    ):
        checks.flag(normalize=normalize)
        checks.one_of(SIMILARITIES, similarity=similarity)
        self.prompts = Prompts(
            prompts or {}, default_prompt_name, include_prompt
        )
        self.pretrained = pretrained.with_parts(pretrained.parts & {"pooler"})
        self.pooling = pooling
        self.dense = self.pretrained.added_layers = list(dense)
        self.normalize = normalize
        self.truncate_dim, self.similarity = truncate_dim, similarity
        self.settings = {
            "pooling": pooling,
            "normalize": normalize,
            "truncate_dim": truncate_dim,
            "similarity": similarity,
            **vars(self.prompts),
        }
        self.preprocess = PromptPreprocessor(
            self.prompts.named(),
            pretrained.tokenizer,
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )
        backbone = pretrained.backbone
        self.input_names = tuple(backbone.inputs)
        num_left_out = self._num_left_out(self.preprocess)
        self.model = self._model(num_left_out)
        self._layers = Forward(backbone.states_model(), batch_tokens)
        self._embed = {num_left_out: Forward(self.model, batch_tokens)}
        self.dim = self.model.output["embedding"].shape[-1]

    @property
    def batch_tokens(self) -> int:
        """Maximum number of tokens computed together. Can be assigned."""
        return self._layers.batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value: int) -> None:
        for forward in (self._layers, *self._embed.values()):
            forward.batch_tokens = value

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
    def _load(
        cls, directory: Path, **arguments: typing.Any
    ) -> tuple[PretrainedModel, dict[str, typing.Any]]:
        return load_embedder(directory, **arguments)

    @classmethod
    def _merged(
        cls, own: dict[str, typing.Any], given: dict[str, typing.Any]
    ) -> dict[str, typing.Any]:
        # New prompts may lack the saved default.
        saved = own.get("default_prompt_name")
        if saved is not None and saved not in given.get("prompts", [saved]):
            own = {**own, "default_prompt_name": None}
        return {**own, **given}

    def save(
        self, directory: Path, format: str = "keras", overwrite: bool = False
    ) -> None:
        """Save the embedder to a directory that `from_pretrained` can load.

        Args:
            directory: directory to write; it is created if needed.
            format: "keras" (this library), or "hf" (sentence-transformers).
            overwrite: whether to overwrite the files of an earlier save.

        Raises:
            ValueError: the format does not support the embedder, or the
                directory contains a file that may not be overwritten.
        """
        save_embedder(self, directory, format, overwrite)

    def _published_model_and_files(
        self,
    ) -> tuple[
        PretrainedModel,
        dict[str, collections.abc.Callable[[pathlib.Path], object]],
    ]:
        return published_model_and_files(self)

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
        *args: Arguments.args,
        **recipe: Arguments.kwargs,
    ) -> keras.callbacks.History:
        """Fine-tune the encoder and the dense layers.

        By default, examples without labels are trained with in-batch negatives:
        the model learns to find the positive of each anchor among the texts of
        the batch. Larger batches give better embeddings. For scored pairs, the
        cosine similarity is trained to equal the score. `keras_bert.losses` has
        other losses, including distillation losses.

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
                `CosineSimilarityLoss` for scored pairs. To train on several
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
            **recipe: fields of `Recipe`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: an example cannot be used. Nothing is trained.
        """
        options = self.recipe_class.of_fit(self.fit, *args, **recipe)
        checks.flag(no_duplicates=no_duplicates)
        if mini_batch_size is not None:
            check_mini_batch_size(mini_batch_size, options)
        texts = first_examples(texts, options)
        examples, loss = examples_and_loss(
            loss, (texts, labels), self, options.batch_size, no_duplicates
        )
        validation = None
        if validation_data is not None:
            held_out = evaluation_examples(self.preprocess, validation_data)
            is_scored = held_out.are_scored_pairs
            names = SCORED_METRICS if is_scored else RETRIEVAL_METRICS
            held_out_loss = validation_loss(loss, held_out)
            validation = Validation(
                lambda: self._validate(
                    held_out, held_out_loss, options.batch_size
                ),
                ["loss", *names],
                names[-1],
            )
        learner = embedding_learner(
            self.pretrained, self.model, examples, loss, mini_batch_size
        )
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
            anchors.
        """
        data = (texts, labels)
        return self._scores(evaluation_examples(self.preprocess, data))

    @one_or_many
    def embed(
        self,
        texts: Texts,
        prompt: str | None = None,
        show_progress_bar: bool = False,
    ) -> np.ndarray:
        """Compute the embedding of each text.

        Args:
            texts: str, or list of str. Lists may be empty. Also dicts,
                columns, arrays or tensors of these.
            prompt: name of the prompt to prepend; "" for no prompt, None for
                the default prompt.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A float32 array `(num_texts, dim)`, in the order of the texts, or
            `(dim,)` for a single text.

        Raises:
            ValueError: the prompt name is unknown, or a text is not a valid
                str. The message names the index of the text.
        """
        prompt, encoded = self.prompts.named(prompt), checked_texts(texts)
        preprocess = self.preprocess.with_prompt(prompt)
        embeddings = np.empty((len(encoded), self.dim), np.float32)
        with progress_bar(show_progress_bar, len(encoded)):
            for start, rows in _rows(preprocess, encoded):
                vectors = self._row_embeddings(rows, preprocess)
                embeddings[start : start + len(rows)] = vectors
        return embeddings

    def embed_query(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> np.ndarray:
        """Compute the embeddings of queries with the "query" prompt, if any.

        Args:
            texts: list of str. It may be empty.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A float32 array `(num_texts, dim)`, the result of `embed`.
        """
        return self.embed(
            texts, self.prompts.first_of("query"), show_progress_bar
        )

    def embed_document(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> np.ndarray:
        """Compute the embeddings of documents with the document prompt, if any.

        The document prompt is the first prompt that exists of "document",
        "passage" and "corpus".

        Args:
            texts: list of str. It may be empty.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A float32 array `(num_texts, dim)`, the result of `embed`.
        """
        name = self.prompts.first_of("document", "passage", "corpus")
        return self.embed(texts, name, show_progress_bar)

    @one_or_many
    def layers(self, texts: Texts) -> typing.Any:
        """Compute the hidden states of all layers for each token.

        Args:
            texts: str or list of str.

        Returns:
            A list with a float32 array `(num_hidden_layers + 1, num_tokens,
            hidden_size)` for each text: the embeddings, then the output of each
            layer. The first token is [CLS] and the last is [SEP]. For a single
            text, the array is not wrapped in a list.
        """
        encoded = checked_texts(texts)
        states: list[typing.Any] = [None] * len(encoded)
        for start, rows in _rows(self.preprocess, encoded):
            for indices, outputs in self._layers(rows):
                stacked = np.stack(_in_order(outputs), axis=1)
                for index, layers in zip(
                    indices, stacked.astype(np.float32), strict=True
                ):
                    length = rows.lengths[index]
                    states[start + index] = layers[:, :length]
        return states

    def distill_static(
        self, dim: int = 256, texts: Texts | None = None
    ) -> typing.Self:
        """Distill the embedder into static embeddings of word pieces.

        A static embedder has one vector per word piece. It averages the vectors
        of the pieces of a text and scales the mean to length 1. It has no
        Transformer blocks, so it is much faster and less accurate. It can be
        trained, saved and exported like any other embedder. It has the same
        tokenizer, but no prompts.

        Args:
            dim: size of the static embeddings.
            texts: texts from the domain, ideally tens of thousands of
                sentences. The vectors are fitted to the embeddings of these
                texts. If None, each piece is embedded like a text, and its
                frequency is estimated from its index in the vocabulary.

        Returns:
            A static `TextEmbedder`.

        Raises:
            ValueError: `dim` is larger than the embeddings, or `texts` is
                invalid or empty.

        References:
            [model2vec](https://github.com/MinishLab/model2vec)
        """
        model = static_model(self, dim, texts)
        return type(self)(model, normalize=True)

    def export_saved_model(
        self,
        directory: Path,
        version: int = 1,
        overwrite: bool = False,
        dimensions: int | None = None,
        precision: str = "float32",
    ) -> None:
        """Export a SavedModel that takes strings.

        Args:
            directory: parent directory of the model versions.
            version: version number to write.
            overwrite: whether to overwrite a version from an earlier export.
            dimensions: number of values of each vector to keep, counted from
                the first. Defaults to all values.
            precision: "float32", "int8" or "binary", see
                `keras_bert.tasks.compress_vectors`.

        Raises:
            ValueError: the same errors as
                `keras_bert.export.export_saved_model`, or `dimensions` or
                `precision` is not supported.
        """
        task = self._compressed(dimensions, precision)
        Task.export_saved_model(task, directory, version, overwrite)

    def export_tflite(
        self,
        path: Path,
        kind: str = "int8",
        texts: list | None = None,
        representative_texts: list | None = None,
        files: collections.abc.Collection[str] = ("text", "ids"),
        overwrite: bool = False,
        force: bool = False,
        dimensions: int | None = None,
        precision: str = "float32",
    ) -> "dict[str, Comparison]":
        """Export TFLite files that take strings and token ids.

        Args:
            path, kind, texts, representative_texts, files, overwrite, force:
                see `keras_bert.export.export_tflite`.
            dimensions, precision: see `export_saved_model`.

        Returns:
            A dict mapping the names in `files` to the results of comparing each
            file with the task.

        Raises:
            ValueError: the same errors as `keras_bert.export.export_tflite`, or
                `dimensions` or `precision` is not supported.
            ModuleNotFoundError: the interpreter of LiteRT is not installed.
        """
        task = self._compressed(dimensions, precision)
        return Task.export_tflite(
            task,
            path,
            kind=kind,
            texts=texts,
            representative_texts=representative_texts,
            files=files,
            overwrite=overwrite,
            force=force,
        )

    def _row_embeddings(
        self, rows: RaggedRows, preprocess: PromptPreprocessor | None = None
    ) -> np.ndarray:
        """Compute the embeddings of tokenized texts."""
        num_left_out = self._num_left_out(preprocess or self.preprocess)
        if num_left_out not in self._embed:
            model = self._model(num_left_out)
            self._embed[num_left_out] = Forward(model, self.batch_tokens)
        embeddings = np.empty((len(rows), self.dim), np.float32)
        for indices, outputs in self._embed[num_left_out](rows):
            embeddings[indices] = outputs["embedding"]
        return embeddings

    def predict_ids(
        self, inputs: Tensors, model: collections.abc.Callable | None = None
    ) -> Tensors:
        outputs = super().predict_ids(inputs, model)
        if self._compression is None:
            return outputs
        vectors = compressed(outputs["embedding"], *self._compression)
        return {"embedding": vectors}

    def _compressed(
        self, dimensions: int | None, precision: str
    ) -> typing.Self:
        """Return a copy of the embedder that exports compressed embeddings."""
        check_compression(self.dim, dimensions, precision)
        if dimensions is None and precision == "float32":
            return self
        task = copy.copy(self)
        task._compression = dimensions, precision
        task.settings = {
            **self.settings,
            "dimensions": dimensions or self.dim,
            "precision": precision,
        }
        return task

    def _num_left_out(self, preprocess: PromptPreprocessor) -> int:
        """Return the number of tokens that pooling ignores."""
        is_left_out = not self.prompts.include_prompt
        return preprocess.num_prompt_tokens if is_left_out else 0

    def _model(self, num_left_out: int) -> keras.Model:
        return embedding_model(
            self.pretrained,
            self.pooling,
            self.dense,
            self.normalize,
            self.truncate_dim,
            num_left_out,
        )

    def _scores(self, examples: EmbeddingExamples) -> dict[str, float]:
        """Compute the metrics of examples."""
        embeddings = self._row_embeddings(examples.rows)
        return self._metrics(examples, embeddings)

    def _validate(
        self, examples: EmbeddingExamples, loss: EmbeddingLoss, batch_size: int
    ) -> dict[str, float]:
        embeddings = self._row_embeddings(examples.rows)
        return {
            "loss": mean_loss(loss, examples, embeddings, batch_size),
            **self._metrics(examples, embeddings),
        }

    def _metrics(
        self, examples: EmbeddingExamples, embeddings: np.ndarray
    ) -> dict[str, float]:
        is_cosine = self.similarity == "cosine"
        if not examples.are_scored_pairs:
            return retrieval_scores(embeddings, examples.groups, is_cosine)
        return scored_pair_scores(
            embeddings, examples.groups, examples.targets, is_cosine
        )


def _rows(
    preprocess: PromptPreprocessor, texts: list[bytes]
) -> collections.abc.Iterator[tuple[int, RaggedRows]]:
    """Yield the start index and the rows of each chunk of texts."""
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[start : start + _TEXTS_AT_ONCE]
        yield start, tokenized_rows(preprocess, some)


def _in_order(outputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    """List the outputs by layer, because the order of a dict may change."""
    return [outputs[str(n)] for n in range(len(outputs))]
