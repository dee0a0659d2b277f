"""Text embeddings."""

import collections.abc
import typing

import keras
import numpy as np

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.embedder import Embedder
from keras_bert.tasks.embedder import Files
from keras_bert.tasks.embedder import row_chunks
from keras_bert.tasks.embeddings.compressed_exports import CompressedExports
from keras_bert.tasks.embeddings.model import embedding_model
from keras_bert.tasks.embeddings.prompts import PromptPreprocessor
from keras_bert.tasks.embeddings.prompts import Prompts
from keras_bert.tasks.embeddings.saving import load_embedder
from keras_bert.tasks.embeddings.saving import own_settings_and_files
from keras_bert.tasks.embeddings.saving import published_model_and_files
from keras_bert.tasks.embeddings.search import SIMILARITIES
from keras_bert.tasks.embeddings.static import static_model
from keras_bert.tasks.training.forward import BATCH_TOKENS
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.typing import Path
from keras_bert.typing import Tensors
from keras_bert.typing import Texts


class TextEmbedder(CompressedExports, Embedder[np.ndarray]):
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

    none_values = ("default_prompt_name", "truncate_dim")

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

    def _forwards(self) -> list[Forward]:
        return [self._layers, *self._embed.values()]

    @classmethod
    def _load(
        cls, directory: Path, **arguments: typing.Any
    ) -> tuple[PretrainedModel, dict[str, typing.Any]]:
        return load_embedder(directory, **arguments)

    def _saved(self) -> tuple[dict[str, typing.Any], Files]:
        return own_settings_and_files(self)

    def _published_model_and_files(self) -> tuple[PretrainedModel, Files]:
        return published_model_and_files(self)

    def for_queries(self) -> typing.Self:
        queries = super().for_queries()
        queries.model = self._forward(queries.preprocess).model
        return queries

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
        for start, rows in row_chunks(self.preprocess, encoded):
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

    def _row_embeddings(
        self, rows: RaggedRows, preprocess: PromptPreprocessor | None = None
    ) -> np.ndarray:
        """Compute the embeddings of tokenized texts."""
        forward = self._forward(preprocess or self.preprocess)
        embeddings = np.empty((len(rows), self.dim), np.float32)
        for indices, outputs in forward(rows):
            embeddings[indices] = outputs["embedding"]
        return embeddings

    def _forward(self, preprocess: PromptPreprocessor) -> Forward:
        """Return the object that embeds texts with a prompt."""
        num_left_out = self._num_left_out(preprocess)
        if num_left_out not in self._embed:
            model = self._model(num_left_out)
            self._embed[num_left_out] = Forward(model, self.batch_tokens)
        return self._embed[num_left_out]

    def _joined(
        self, chunks: collections.abc.Iterable[np.ndarray], count: int
    ) -> np.ndarray:
        embeddings, start = np.empty((count, self.dim), np.float32), 0
        for chunk in chunks:
            embeddings[start : start + len(chunk)] = chunk
            start += len(chunk)
        return embeddings

    def predict_ids(
        self, inputs: Tensors, model: collections.abc.Callable | None = None
    ) -> Tensors:
        outputs = super().predict_ids(inputs, model)
        return {**outputs, "embedding": self._exported(outputs["embedding"])}

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


def _in_order(outputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    """List the outputs by layer, because the order of a dict may change."""
    return [outputs[str(n)] for n in range(len(outputs))]
