"""Masked texts to the words behind the masks."""

import functools

import tensorflow as tf

from keras_bert import checks
from keras_bert.tasks.fine_tuning.columns import brief
from keras_bert.tasks.fine_tuning.columns import checked_texts
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.task import Task
from keras_bert.text.preprocessor import Preprocessor


class FillMask(Task):
    """Fills the masks of a text with the most probable word pieces.

    Args:
        pretrained: `PretrainedModel` with a masked-LM head.
        seq_length: int, longest text in word pieces, [CLS] and [SEP]
            included; the model's own limit by default.
        top_k: int, how many fillings are given for each mask.

    Call arguments:
        texts: str with at least one [MASK], or list of such. In Python each
            [MASK] must be within `seq_length` word pieces; a served model
            leaves those beyond it out.

    Returns:
        For each text, or for the single one, a list with an item for each
        [MASK], itself a list of `top_k` dicts
        `{"token": str, "text": str, "probability": float}`, the most probable
        first. `token` is spelled as in the vocabulary, as the `tokens` of a
        served model are; `text` is the same as text: "Ġlist" is " list" and
        "▁list" is "list", but "##s" stays, as in transformers.

    Raises:
        ValueError: a text is not a str, or has no [MASK] or one beyond
            `seq_length` word pieces; its index is named.

    Example:

    >>> fill_mask = keras_bert.FillMask.from_pretrained("directory")
    >>> fill_mask("The function returns a [MASK] of strings.")[0][0]
    {'token': 'list', 'text': 'list', 'probability': 0.31}
    """

    outputs = ("tokens", "token_probabilities")

    def __init__(self, pretrained, seq_length=None, top_k=5):
        checks.at_least(1, top_k=top_k)
        if "masked_lm_head" not in pretrained.parts:
            raise ValueError(
                "To fill masks, a model needs a masked-LM head; this "
                "checkpoint holds none. Use TextEmbedder "
                "(task='text_embedder') or FeatureExtractor "
                "(task='feature_extractor') for its vectors."
            )
        self.pretrained = pretrained
        self.model = pretrained.pretrainer
        self.inputs = tuple(pretrained.backbone.inputs)
        tokenizer = pretrained.tokenizer
        self.vocabulary = tokenizer.vocabulary
        self._detokenize = tokenizer.detokenize
        self.mask = self.vocabulary.roles["mask"]
        self.top_k = min(top_k, len(self.vocabulary))
        # A literal [MASK] is the mask token here, not plain text.
        self.preprocess = Preprocessor(
            tokenizer.with_special_tokens(),
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )

    @functools.cached_property
    def _from_text(self):
        return tf.function(
            lambda texts: self.predict_ids(self.preprocess(texts)),
            input_signature=[tf.TensorSpec([None], tf.string)],
        ).get_concrete_function()

    @one_or_many
    def __call__(self, texts):
        return [
            self._fill(text, index)
            for index, text in enumerate(checked_texts(texts))
        ]

    def _fill(self, text, index):
        answers = self._from_text(tf.constant([text]))
        text = text.decode("utf-8")
        tokens = answers["tokens"].numpy()[0]
        probabilities = answers["token_probabilities"].numpy()[0]
        num_masks = text.count(self.mask)
        if not num_masks == len(tokens) > 0:
            raise ValueError(
                f"Each of `texts` must hold {self.mask} within "
                f"{self.preprocess.seq_length} word pieces. "
                f"Received: {num_masks} in the text, "
                f"{len(tokens)} within the limit, at index {index}: "
                f"{brief(text)}."
            )
        return [
            [
                self._answer(token.decode(), float(probability))
                for token, probability in zip(*filling, strict=True)
            ]
            for filling in zip(tokens, probabilities, strict=True)
        ]

    def _answer(self, token, probability):
        text = self._detokenize([self.vocabulary.id_of(token)])
        return {"token": token, "text": text, "probability": probability}

    def predict_ids(self, inputs, model=None):
        """Fills masks, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.
            model: as `Task.predict_ids` takes it.

        Returns:
            A dict of `tokens`, string, and `token_probabilities`, float32,
            both `(batch_size, num_masks, top_k)`, where `num_masks` is the
            most that a text of the batch has within the length. Texts with
            fewer masks, for example because the rest of the text is cut off,
            end in "" with probability 0.
        """
        masked = tf.cast(
            tf.equal(inputs["input_ids"], self.vocabulary.id_of(self.mask)),
            tf.int32,
        )
        count = tf.reduce_sum(masked, axis=1)
        order = tf.argsort(masked, direction="DESCENDING", stable=True)
        real = tf.sequence_mask(count)
        most = tf.shape(real)[1]
        # Texts without a mask are asked for one position, for TFLite's layers
        # fail on none. Behind a text's own masks any position does.
        asked = tf.sequence_mask(count, tf.maximum(most, 1))
        positions = tf.where(asked, order[:, : tf.shape(asked)[1]], 0)  # [B, P]
        probabilities = self.probabilities_at(inputs, positions, model)
        probabilities = probabilities[:, :most]
        probabilities, ids = tf.math.top_k(probabilities, self.top_k)
        real = tf.expand_dims(real, -1)
        # Chosen by index, for TFLite has no choice between strings.
        ids = tf.where(real, ids, len(self.vocabulary))
        return {
            "tokens": tf.gather(
                tf.constant([*self.vocabulary.tokens, ""]), ids
            ),
            "token_probabilities": tf.where(real, probabilities, 0.0),
        }

    def probabilities_at(self, inputs, positions, model=None):
        """Computes the model's guesses at positions, masked or not, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.
            positions: int32 `(batch_size, num_positions)`.
            model: as `predict_ids` takes it.

        Returns:
            float32 `(batch_size, num_positions, vocab_size)`, of each piece
            of the vocabulary; those of a position sum to 1.
        """
        model = model or self.model
        logits = model({**inputs, "masked_lm_positions": positions})
        # Rows that only pad the table are no words.
        return tf.nn.softmax(logits["mlm_logits"][:, :, : len(self.vocabulary)])
