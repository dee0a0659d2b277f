"""A model as a source of features: a vector for each text."""

import numpy as np

from keras_bert import arguments
from keras_bert.tasks.embeddings.model import embedding_model
from keras_bert.tasks.embeddings.prompts import PromptPreprocessor
from keras_bert.tasks.embeddings.prompts import Prompts
from keras_bert.tasks.embeddings.saving import load_embedder
from keras_bert.tasks.embeddings.saving import save_embedder
from keras_bert.tasks.embeddings.scores import RETRIEVAL_METRICS
from keras_bert.tasks.embeddings.scores import SCORED_METRICS
from keras_bert.tasks.embeddings.scores import retrieval_scores
from keras_bert.tasks.embeddings.scores import scored_pair_scores
from keras_bert.tasks.embeddings.training import are_scored
from keras_bert.tasks.embeddings.training import embedding_examples
from keras_bert.tasks.embeddings.training import embedding_learner
from keras_bert.tasks.embeddings.training import mean_loss
from keras_bert.tasks.fine_tuning.columns import checked_texts
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.encoded import tokenized_rows
from keras_bert.tasks.fine_tuning.forward import BATCH_TOKENS
from keras_bert.tasks.fine_tuning.forward import Forward
from keras_bert.tasks.fine_tuning.forward import progress_bar
from keras_bert.tasks.fine_tuning.monitoring import Validation
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.training import fine_tune
from keras_bert.tasks.task import Task

# So many are held as ids together.
_TEXTS_AT_ONCE = 16384


class TextEmbedder(Task):
    """Embedder of texts: a vector for each.

    The precision is that of the model: for bfloat16, faster where the
    processor has it, read the checkpoint after
    `keras.config.set_dtype_policy("mixed_bfloat16")`. The vectors are float32
    in any case.

    A checkpoint of `save` or of sentence-transformers also has pooling, dense
    layers, normalization, length and prompts. Arguments of `from_pretrained`
    replace them, and a warning names each difference.

    Args:
        pretrained: `PretrainedModel`.
        seq_length: int, longest text in word pieces, [CLS] and [SEP]
            included, which count as tokens here; longer texts are cut. The
            model's own limit by default.
        pooling: str. "mean" is the mean of the tokens' vectors, "cls" the
            vector of [CLS], "max" the greatest value of each element, all
            `hidden_size` long; "last4" is the mean of the last four layers'
            vectors, concatenated, four times as long.
        batch_tokens: int, most tokens that are computed together. Few keep a
            processor's caches warm; an accelerator wants more.
        dense: list of `keras.layers.Dense`, which the pooled vector goes
            through, such as one to fewer elements.
        normalize: bool, whether the vectors are scaled to length 1.
        prompts: dict from names to strings, what `embed` puts before texts.
        default_prompt_name: str, the prompt of texts that none is named for,
            also in `fit`, `evaluate`, `layers` and in what is exported; None
            for none.
        include_prompt: bool, whether the prompt's tokens, and [CLS] before
            them, take part in the pooling.

    Attributes:
        dim: int, the length of the vectors.
        pretrained: `PretrainedModel` of the encoder.

    Example:

    >>> embedder = keras_bert.TextEmbedder.from_pretrained("directory")
    >>> embedder.embed(["some text", "another"]).shape
    (2, 384)

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3;
        [Sentence-BERT](https://arxiv.org/abs/1908.10084)
    """

    outputs = ("embedding",)

    def __init__(
        self,
        pretrained,
        seq_length=None,
        pooling="mean",
        batch_tokens=BATCH_TOKENS,
        dense=(),
        normalize=False,
        prompts=None,
        default_prompt_name=None,
        include_prompt=True,
    ):
        self.prompts = Prompts(
            prompts or {}, default_prompt_name, include_prompt
        )
        self.pretrained = pretrained.with_parts(pretrained.parts & {"pooler"})
        self.pooling = pooling
        self.dense = list(dense)
        self.normalize = normalize
        self.settings = {
            "pooling": pooling,
            "normalize": normalize,
            **vars(self.prompts),
        }
        self.preprocess = PromptPreprocessor(
            self.prompts.named(),
            pretrained.tokenizer,
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )
        backbone = pretrained.backbone
        self.inputs = tuple(backbone.inputs)
        num_left_out = self._num_left_out(self.preprocess)
        self.model = self._model(num_left_out)
        self._layers = Forward(backbone.states_model(), batch_tokens)
        self._embed = {num_left_out: Forward(self.model, batch_tokens)}
        self.dim = self.model.output["embedding"].shape[-1]

    @property
    def batch_tokens(self):
        """As the class takes it, int; it may be set."""
        return self._layers.batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value):
        for forward in (self._layers, *self._embed.values()):
            forward.batch_tokens = value

    @classmethod
    def _load(cls, directory, **arguments):
        return load_embedder(directory, **arguments)

    def save(self, directory, format="keras", overwrite=False):
        """Writes the embedder so that `from_pretrained` reads it back equal.

        Args:
            directory: str, made if needed.
            format: "keras" (ours) or "hf" (what sentence-transformers reads).
            overwrite: bool, replace what an earlier call has written.

        Raises:
            ValueError: the format cannot hold it, or the directory holds a
                file in the way that may not be replaced.
        """
        save_embedder(self, directory, format, overwrite)

    @arguments.name_rest(Recipe)
    def fit(
        self,
        texts,
        labels=None,
        validation_data=None,
        callbacks=(),
        verbose="auto",
        **recipe,
    ):
        """Fine-tune the encoder and the dense layers.

        Pairs and triplets are trained to find each anchor's positive among
        those of the whole batch, so larger batches teach more; scored pairs
        to have their scores as cosines.

        Args:
            texts: list, array or table of pairs (anchor, positive), triplets
                (anchor, positive, negative) or, with labels, pairs; or a
                `tf.data.Dataset` of such tuples, or of pairs and scores.
            labels: list of float from -1 to 1, how alike the texts of each
                pair are; None for pairs that belong together.
            validation_data: the same: a tuple of pairs and scores, or a list
                or a data set of examples. They may be of another kind than
                those to learn from. The weights of the best epoch are kept,
                by `mean_reciprocal_rank`, or `spearman` of scored pairs.
            callbacks: list of Keras callbacks. They can monitor `loss` and,
                with `validation_data`, `val_loss` and the metrics of
                `evaluate`, such as `val_spearman`.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            **recipe: the fields of `Recipe`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: an example cannot be used. Nothing is trained.
        """
        recipe = Recipe(**recipe)
        examples = embedding_examples(self.preprocess, texts, labels)
        validation = None
        if validation_data is not None:
            is_scored = isinstance(validation_data, tuple)
            data = validation_data if is_scored else (validation_data,)
            judged = embedding_examples(self.preprocess, *data)
            names = SCORED_METRICS if are_scored(judged) else RETRIEVAL_METRICS
            validation = Validation(
                lambda: self._validate(judged, recipe.batch_size),
                ["loss", *names],
                names[-1],
            )
        return fine_tune(
            embedding_learner(self.pretrained, self.model, examples),
            examples,
            recipe,
            validation,
            callbacks,
            own_model=self.model,
            verbose=verbose,
        )

    def evaluate(self, texts, labels=None):
        """Judges the embeddings by their cosines.

        Args:
            texts, labels: as `fit` takes them.

        Returns:
            A dict of floats: `pearson` and `spearman` of scored pairs; of
            others `recall_at_1`, `recall_at_5`, `recall_at_10` and
            `mean_reciprocal_rank` of the positives among all texts that are
            no anchors.
        """
        return self._scores(embedding_examples(self.preprocess, texts, labels))

    @one_or_many
    def embed(self, texts, prompt=None, show_progress_bar=False):
        """Computes a vector for each text.

        Args:
            texts: str, or list of str, perhaps empty; or dicts, columns,
                arrays or tensors of these.
            prompt: str, the name of the prompt that is put before each; ""
                for none, None for the default.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A float32 array `(num_texts, dim)`, in the order of the texts, or
            `(dim,)` of a single text.

        Raises:
            ValueError: one is no str, or not even text; its index is named
                before any is embedded. Or no prompt has the name.
        """
        prompt, texts = self.prompts.named(prompt), checked_texts(texts)
        preprocess = self.preprocess.with_prompt(prompt)
        embeddings = np.empty((len(texts), self.dim), np.float32)
        with progress_bar(show_progress_bar, len(texts)):
            for start, rows in _rows(preprocess, texts):
                found = self._embeddings(preprocess, rows)
                embeddings[start : start + len(rows)] = found
        return embeddings

    def embed_query(self, texts, show_progress_bar=False):
        """Compute the vectors of queries, with the prompt "query" if any.

        Args:
            texts: list of str; it may be empty.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A float32 array `(num_texts, dim)`, as `embed` returns it.
        """
        return self.embed(
            texts, self.prompts.first_of("query"), show_progress_bar
        )

    def embed_document(self, texts, show_progress_bar=False):
        """Compute the vectors of texts that are searched.

        Their prompt is the first that exists of "document", "passage" and
        "corpus", if any.

        Args:
            texts: list of str; it may be empty.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A float32 array `(num_texts, dim)`, as `embed` returns it.
        """
        name = self.prompts.first_of("document", "passage", "corpus")
        return self.embed(texts, name, show_progress_bar)

    @one_or_many
    def layers(self, texts):
        """Computes what every layer makes of every token.

        Args:
            texts: str or list of str.

        Returns:
            A list with a float32 array for each text, or that array of a
            single text,
            `(num_hidden_layers + 1, num_tokens, hidden_size)`: the
            embeddings, then the output of each layer. The first token is
            [CLS], the last [SEP].
        """
        texts = checked_texts(texts)
        states = [None] * len(texts)
        for start, rows in _rows(self.preprocess, texts):
            for indices, outputs in self._layers(rows):
                stacked = np.stack(_in_order(outputs), axis=1)
                for index, layers in zip(
                    indices, stacked.astype(np.float32), strict=True
                ):
                    length = rows.lengths[index]
                    states[start + index] = layers[:, :length]
        return states

    def _num_left_out(self, preprocess):
        """The number of tokens that take no part in the pooling."""
        is_left_out = not self.prompts.include_prompt
        return preprocess.num_prompt_tokens if is_left_out else 0

    def _model(self, num_left_out):
        how = self.pooling, self.dense, self.normalize, num_left_out
        return embedding_model(self.pretrained, *how)

    def _embeddings(self, preprocess, rows):
        """The vectors of `PackedRows`, in their order."""
        num_left_out = self._num_left_out(preprocess)
        if num_left_out not in self._embed:
            model = self._model(num_left_out)
            self._embed[num_left_out] = Forward(model, self.batch_tokens)
        embeddings = np.empty((len(rows), self.dim), np.float32)
        for indices, outputs in self._embed[num_left_out](rows):
            embeddings[indices] = outputs["embedding"]
        return embeddings

    def _scores(self, examples):
        """The metrics of what `embedding_examples` gives."""
        embeddings = self._embeddings(self.preprocess, examples.rows)
        return self._metrics(examples, embeddings)

    def _validate(self, examples, batch_size):
        embeddings = self._embeddings(self.preprocess, examples.rows)
        return {
            "loss": mean_loss(examples, embeddings, batch_size),
            **self._metrics(examples, embeddings),
        }

    def _metrics(self, examples, embeddings):
        if not are_scored(examples):
            return retrieval_scores(embeddings, examples.groups)
        return scored_pair_scores(embeddings, examples.groups, examples.targets)


def _rows(preprocess, texts):
    """Yields where some of the texts begin, and their rows."""
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[start : start + _TEXTS_AT_ONCE]
        yield start, tokenized_rows(preprocess, some)


def _in_order(outputs):
    """A dict may come back in another order than it was given in."""
    return [outputs[str(n)] for n in range(len(outputs))]
