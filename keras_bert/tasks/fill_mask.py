"""Masked-token prediction."""

import typing

import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert import features
from keras_bert.checkpoints import PretrainedModel
from keras_bert.lazy_tensorflow import tf
from keras_bert.messages import brief
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.task import Task
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.tasks.training.forward import Forward
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

# Predictions for a mask, most probable first.
_Answers: typing.TypeAlias = list[dict[str, typing.Any]]


class FillMask(Task):
    """Fill-mask task that predicts the masked word pieces in texts.

    Args:
        pretrained: model with a masked-LM head.
        seq_length: maximum length of a text in word pieces, [CLS] and [SEP]
            included. Defaults to the model's maximum.
        top_k: number of predictions for each mask.

    Call arguments:
        texts: str with at least one [MASK], or list of such strings. Each
            [MASK] must be within `seq_length` word pieces; an exported model
            ignores masks beyond this limit.

    Returns:
        A list for each text, or only one such list if `texts` is a str. It has
        an item for each [MASK]: a list of `top_k` dicts `{"token": str,
        "text": str, "probability": float}`, most probable first. `token` is
        the vocabulary entry. `text` is the decoded token, as in `transformers`:
        " list" for "Ġlist", "list" for "▁list", and "##s" for "##s".

    Raises:
        ValueError: a text is not a str, has no [MASK], or has a [MASK] beyond
            `seq_length` word pieces. The message names its index.

    Example:

    >>> fill_mask = keras_bert.FillMask.from_pretrained("directory")
    >>> fill_mask("The function returns a [MASK] of strings.")[0][0]
    {'token': 'list', 'text': 'list', 'probability': 0.31}
    """

    output_names = ("tokens", "token_probabilities")
    preprocess: Preprocessor

    def __init__(
        self,
        pretrained: PretrainedModel,
        seq_length: int | None = None,
        top_k: int = 5,
    ):
        checks.at_least(1, top_k=top_k)
        if "masked_lm_head" not in pretrained.parts:
            raise ValueError(
                "`pretrained` must have a masked-LM head, but this "
                "checkpoint has none. Use TextEmbedder "
                "(task='text_embedder') or FeatureExtractor "
                "(task='feature_extractor') for its vectors."
            )
        self.pretrained = pretrained
        self.model = pretrained.pretrainer
        self._compute = Forward(self.model)
        self.input_names = tuple(pretrained.backbone.inputs)
        tokenizer = pretrained.tokenizer
        self.vocabulary = tokenizer.vocabulary
        self._detokenize = tokenizer.detokenize
        self.mask = self.vocabulary.roles["mask"]
        self.top_k = min(top_k, len(self.vocabulary))
        # A literal [MASK] in a text is the mask token, not plain text.
        self.preprocess = Preprocessor(
            tokenizer.with_special_tokens(),
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )

    @typing.overload
    def __call__(self, texts: str) -> list[_Answers]: ...

    @typing.overload
    def __call__(self, texts: typing.Iterable) -> list[list[_Answers]]: ...

    @one_or_many
    def __call__(self, texts: Texts) -> typing.Any:
        texts = checked_texts(texts)
        rows = _MaskedRows(
            tokenized_rows(self.preprocess, texts),
            self.vocabulary.id_of(self.mask),
        )
        pairs = zip(texts, rows.counts, strict=True)
        for index, (text, num_kept) in enumerate(pairs):
            num_masks = text.count(self.mask.encode())
            if not num_masks == num_kept > 0:
                raise ValueError(
                    f"Each of `texts` must contain {self.mask} within "
                    f"{self.preprocess.seq_length} word pieces. "
                    f"Received: {num_masks} in the text, "
                    f"{num_kept} within the limit, at index {index}: "
                    f"{brief(text.decode())}."
                )
        answers: list[typing.Any] = [None] * len(texts)
        for indices, outputs in self._compute(rows) if texts else ():
            logits = outputs["mlm_logits"][:, :, : len(self.vocabulary)]
            top = ops.top_k(ops.softmax(logits), self.top_k)
            top = map(ops.convert_to_numpy, top)
            for index, *row in zip(indices, *top, strict=True):
                fillings = zip(*row, strict=True)
                fillings = [self._answers(*filling) for filling in fillings]
                answers[index] = fillings[: rows.counts[index]]
        return answers

    def _answers(self, probabilities, ids):
        return [
            {
                "token": self.vocabulary.tokens[token],
                "text": self._detokenize([token]),
                "probability": float(probability),
            }
            for probability, token in zip(probabilities, ids, strict=True)
        ]

    def predict_ids(
        self, inputs: Tensors, model: typing.Callable | None = None
    ) -> Tensors:
        """Predict the masked tokens in a TensorFlow graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.
            model: argument of `Task.predict_ids`.

        Returns:
            A dict with `tokens`, string, and `token_probabilities`, float32,
            both `(batch_size, num_masks, top_k)`, where `num_masks` is the
            largest number of masks of a text in the batch. Texts with fewer
            masks are padded with "" and probability 0.
        """
        masked = tf.cast(
            tf.equal(inputs["input_ids"], self.vocabulary.id_of(self.mask)),
            tf.int32,
        )
        count = tf.reduce_sum(masked, axis=1)
        order = tf.argsort(masked, direction="DESCENDING", stable=True)
        real = tf.sequence_mask(count)
        most = tf.shape(real)[1]
        # Compute at least one position, because TFLite layers fail on empty
        # tensors. Texts with fewer masks repeat their first mask.
        is_read = tf.sequence_mask(count, tf.maximum(most, 1))
        num_read = tf.shape(is_read)[1]
        positions = tf.where(
            is_read, order[:, :num_read], order[:, :1]
        )  # [B, P]
        probabilities = self.probabilities_at(inputs, positions, model)
        probabilities = probabilities[:, :most]
        probabilities, ids = tf.math.top_k(probabilities, self.top_k)
        real = tf.expand_dims(real, -1)
        # Select by index, because TFLite cannot select between strings.
        ids = tf.where(real, ids, len(self.vocabulary))
        return {
            "tokens": tf.gather(
                tf.constant([*self.vocabulary.tokens, ""]), ids
            ),
            "token_probabilities": tf.where(real, probabilities, 0.0),
        }

    def probabilities_at(
        self,
        inputs: Tensors,
        positions: Tensor,
        model: typing.Callable | None = None,
    ) -> Tensor:
        """Compute masked-LM probabilities at positions in a TensorFlow graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.
            positions: int32 `(batch_size, num_positions)`, in ascending order;
                the tokens there need not be masked.
            model: argument of `predict_ids`.

        Returns:
            float32 `(batch_size, num_positions, vocab_size)`. The
            probabilities at each position sum to 1.
        """
        model = model or self.model
        logits = model({**inputs, "masked_lm_positions": positions})
        # Skip padding rows of the embedding table.
        return tf.nn.softmax(logits["mlm_logits"][:, :, : len(self.vocabulary)])


class _MaskedRows:
    """`RaggedRows` with mask positions as an additional model input.

    Args:
        rows: `RaggedRows`.
        mask_id: int.

    Attributes:
        lengths: int array `(num_rows,)`, number of tokens of each row.
        counts: int array `(num_rows,)`, number of mask tokens of each row.
    """

    def __init__(self, rows, mask_id):
        self._rows, self._mask_id = rows, mask_id
        self.lengths = rows.lengths
        is_mask = rows.values[features.INPUT_IDS.name] == mask_id
        before = np.append(0, np.cumsum(is_mask))
        ends = np.cumsum(rows.lengths)
        self.counts = before[ends] - before[ends - rows.lengths]

    def inputs(self, indices):
        """Return padded rows; a row with fewer masks repeats its first one."""
        inputs = self._rows.inputs(indices)
        counts = self.counts[indices][:, np.newaxis]
        is_mask = inputs[features.INPUT_IDS.name] == self._mask_id
        order = np.argsort(~is_mask, axis=1, kind="stable").astype(np.int32)
        order = order[:, : counts.max()]
        is_read = np.arange(order.shape[1]) < counts
        positions = np.where(is_read, order, order[:, :1])
        return {**inputs, features.MASKED_LM_POSITIONS.name: positions}
