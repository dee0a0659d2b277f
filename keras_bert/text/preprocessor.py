"""Preprocessors that convert raw texts to model inputs."""

from __future__ import annotations

import collections.abc
import typing

from keras_bert import checks
from keras_bert import features
from keras_bert.summary import Summarized
from keras_bert.template import Template
from keras_bert.text import arrays as host_arrays
from keras_bert.text.arrays import Ragged
from keras_bert.text.arrays import as_ragged
from keras_bert.text.templates import TRUNCATIONS
from keras_bert.text.templates import Cells
from keras_bert.text.templates import Layout
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

if typing.TYPE_CHECKING:
    import numpy as np
    import tensorflow as tf

    from keras_bert.text.host_tokenizer import HostTokenizer
    from keras_bert.text.tokenizer import Tokenizer
    from keras_bert.text.wordpiece.tokenizer import BertTokenizer
    from keras_bert.text.words import WordTokenizer

# Tracing the graph takes as long as about 300 eager calls. After 64 calls, many
# more are likely.
_EAGER_CALLS = 64

# Tokens of a batch of texts, `(batch_size, (num_tokens))`.
_Tokens: typing.TypeAlias = "tf.RaggedTensor | Ragged | list[np.ndarray]"


class Rows(typing.NamedTuple):
    """Model inputs of texts or pairs without padding.

    Args:
        inputs: int32 `(num_tokens,)` by name, the concatenated values of all
            texts or pairs.
        lengths: int32 `(batch_size,)`, number of tokens of each text or pair.
        truncated: bool `(batch_size,)`, mask of truncated texts or pairs.
    """

    inputs: Tensors
    lengths: Tensor
    truncated: Tensor


class Preprocessor(Summarized):
    """Preprocessor that converts texts or pairs to dense model inputs.

    The same object runs in `tf.data`, in a SavedModel and in TFLite, so
    training and serving use the same preprocessing. If its tokenizer runs
    without TensorFlow, the results are NumPy arrays, and the tokens of texts
    are lists of arrays instead of RaggedTensors.

    Args:
        tokenizer: the tokenizer.
        template: layout of the special tokens. Its words are special-token
            types, such as "cls", or tokens of the vocabulary.
        seq_length: length of the sequences. Longer pairs are truncated
            token by token, always from the longer text.
        truncation: tokens of a long text to keep: "head", "tail", or
            "head_tail" for half of each.

    Attributes:
        has_warned_truncation: bool, whether the truncation warning was logged.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, or a single str.
        pairs: second texts; string tensor or list `(batch_size,)`, or a single
            str.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors, or `(seq_length,)`
        for a single str: `input_ids`, `input_mask` and, if the template has
        segments, `segment_ids`.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | WordTokenizer | HostTokenizer,
        template: Template,
        seq_length: int = 128,
        truncation: str = "head",
    ) -> None:
        vocabulary = tokenizer.vocabulary
        template = template.with_tokens(vocabulary.roles, vocabulary.pair)
        least = max(
            template.num_special(is_pair=False) + 1,
            template.num_special(is_pair=True),
        )
        if seq_length < least:
            raise ValueError(
                f"`seq_length` must be at least {least}, to fit "
                f"{template.pair}. Received: seq_length={seq_length}."
            )
        checks.one_of(TRUNCATIONS, truncation=truncation)
        self.tokenizer = tokenizer
        self.template = template
        self.seq_length = seq_length
        self.truncation = truncation
        self.has_warned_truncation = False
        self._num_calls = 0
        self._traced = {}  # By the number of texts per row: 1 or 2.

    def _facts(self) -> dict[str, typing.Any]:
        names = "tokenizer", "seq_length", "truncation"
        return {name: getattr(self, name) for name in names}

    @property
    def room(self) -> int:
        """Maximum number of tokens of a single text."""
        return self.seq_length - self.template.num_special(is_pair=False)

    def __call__(self, texts: Texts, pairs: Texts | None = None) -> Tensors:
        columns = [texts] if pairs is None else [texts, pairs]
        if any(type(x).__name__ == "KerasTensor" for x in columns):
            raise TypeError(
                "A preprocessor cannot be called on a KerasTensor: map it over "
                "a `tf.data.Dataset`, or create a model that takes texts with "
                f"`keras_bert.tasks.text_model`. Received: {columns}."
            )
        arrays = self.tokenizer._arrays
        columns = [arrays.convert_to_tensor(x, arrays.string) for x in columns]
        if any(column.shape != () for column in columns):
            return self.encode(*columns)[0]
        columns = [column[arrays.newaxis] for column in columns]
        inputs, _ = self.encode(*columns)
        return {name: rows[0] for name, rows in inputs.items()}

    def tokenize(
        self, *texts: Texts
    ) -> list[tf.RaggedTensor | list[np.ndarray]]:
        """Tokenize texts for `add_special_tokens`.

        Args:
            *texts: string tensor or list `(batch_size,)`; pass two for pairs.
        """
        return [self.tokenizer(column) for column in texts]

    def encode(self, *texts: Texts) -> tuple[Tensors, Tensor]:
        """Pack texts and return the mask of truncated texts.

        Args:
            *texts: arguments of `tokenize`.

        Returns:
            The result of `add_special_tokens`.
        """
        return self.add_special_tokens(*self.tokenize(*texts))

    def encode_rows(
        self, *texts: collections.abc.Sequence[str | bytes]
    ) -> Rows:
        """Tokenize texts to `Rows` outside of a graph.

        With TensorFlow, the first 64 calls run eagerly, which takes about 3 ms
        for one text. Then the function is traced into a graph. Tracing takes a
        second; each later call takes less than 1 ms.

        Args:
            *texts: texts `(batch_size,)`, bytes in UTF-8; pass two for pairs.
        """

        def encode(*texts: Texts) -> Rows:
            return self.rows(*self.tokenize(*texts))

        tf, self._num_calls = self.tokenizer._arrays, self._num_calls + 1
        if tf is host_arrays or self._num_calls <= _EAGER_CALLS:
            return encode(*texts)
        if len(texts) not in self._traced:
            column = tf.TensorSpec([None], tf.string)
            function = tf.function(encode, [column] * len(texts))
            self._traced[len(texts)] = function.get_concrete_function()
        columns = [tf.constant(column, tf.string) for column in texts]
        return self._traced[len(texts)](*columns)

    def add_special_tokens(
        self,
        *tokens: tf.RaggedTensor | list[np.ndarray],
        **values: collections.abc.Sequence[
            tf.RaggedTensor | Ragged | list[np.ndarray]
        ],
    ) -> tuple[Tensors, Tensor]:
        """Pack tokenized texts into model inputs.

        Args:
            *tokens: tokens `(batch_size, (num_tokens))` of the texts and, for
                pairs, of the second texts.
            **values: additional token values by output name. Each is a list
                with the values of the texts and, for pairs, of the second
                texts, in the format of `tokens`.

        Returns:
            A dict of int32 `(batch_size, seq_length)` tensors: the model
            inputs, and the `values` with 0 at special tokens and padding; and a
            bool mask `(batch_size,)`, True for truncated texts or pairs.
        """
        layout, tokens = self._layout(tokens)
        inputs = self._inputs(layout.padded(), tokens, values)
        return inputs, layout.truncated

    def rows(
        self,
        *tokens: tf.RaggedTensor | list[np.ndarray],
        **values: collections.abc.Sequence[
            tf.RaggedTensor | Ragged | list[np.ndarray]
        ],
    ) -> Rows:
        """Arrange tokenized texts as model inputs without padding.

        Args:
            *tokens: arguments of `add_special_tokens`.
            **values: arguments of `add_special_tokens`.
        """
        layout, tokens = self._layout(tokens)
        inputs = self._inputs(layout.flat(), tokens, values)
        return Rows(inputs, layout.lengths, layout.truncated)

    def _layout(
        self, tokens: collections.abc.Sequence[_Tokens]
    ) -> tuple[Layout, list[tf.RaggedTensor | Ragged]]:
        tokens, how = [*map(as_ragged, tokens)], self.truncation
        arrays = self.tokenizer._arrays
        layout = Layout(arrays, self.template, tokens, self.seq_length, how)
        return layout, tokens

    def _inputs(
        self,
        cells: Cells,
        tokens: list[tf.RaggedTensor | Ragged],
        values: dict[str, collections.abc.Sequence[_Tokens]],
    ) -> Tensors:
        """Return the model inputs and values at cells."""
        arrays, id_of = self.tokenizer._arrays, self.tokenizer.vocabulary.id_of
        special = [id_of(token) for token in self.template.tokens]
        table = [x.flat_values for x in tokens]
        if table[0].dtype == arrays.string:  # Words of a `WordTokenizer`.
            table = self.tokenizer.spell(special, *table)
        else:
            table = arrays.concat([special, *table], 0)
        inputs = {
            features.INPUT_IDS.name: arrays.gather(table, cells.indices),
            features.INPUT_MASK.name: cells.mask,
        }
        if self.template.segments:
            inputs[features.SEGMENT_IDS.name] = cells.segments
        for name, columns in values.items():
            table = [as_ragged(x).flat_values for x in columns]
            table = [arrays.cast(x, arrays.int32) for x in table]
            table = arrays.concat([arrays.zeros_like(special), *table], 0)
            inputs[name] = arrays.gather(table, cells.indices)
        return inputs


class BertPreprocessor(Preprocessor):
    """BERT preprocessor for [CLS] A [SEP] or [CLS] A [SEP] B [SEP].

    Args:
        tokenizer: the tokenizer.
        seq_length: length of the sequences.

    Call arguments, Returns: see `Preprocessor`.

    Example:

    >>> preprocess = keras_bert.text.BertPreprocessor(tokenizer, seq_length=8)
    >>> preprocess(["a text"], ["its pair"])["input_ids"].numpy()
    array([[ 101, 1037, 3793,  102, 2049, 3940,  102,    0]], dtype=int32)

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3, figure 2
    """

    def __init__(self, tokenizer: BertTokenizer, seq_length: int = 128) -> None:
        super().__init__(tokenizer, Template(), seq_length)
