"""Training of text embedders on texts without pairs or labels (TSDAE)."""

import random
import typing

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert import features
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.blocks.transformer_encoder_block import (
    TransformerEncoderBlock,
)
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.losses.cross_entropy import sparse_cross_entropy
from keras_bert.messages import brief
from keras_bert.tasks.columns import SINGLE_KEYS
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.embeddings.examples import EmbeddingExamples
from keras_bert.tasks.embeddings.examples import embedding_examples
from keras_bert.tasks.embeddings.training import EmbeddingOutputs
from keras_bert.tasks.embeddings.training import TextRows
from keras_bert.tasks.text_embedder import TextEmbedder
from keras_bert.tasks.training.batches import training_buckets
from keras_bert.tasks.training.fine_tune import Learner
from keras_bert.tasks.training.fine_tune import fine_tune
from keras_bert.tasks.training.recipe import Recipe


def fit_denoising(
    embedder: TextEmbedder,
    texts: typing.Any,
    deletion_ratio: float = 0.6,
    callbacks: typing.Sequence[keras.callbacks.Callback] = (),
    verbose: str | int = "auto",
    **recipe: typing.Any,
) -> keras.callbacks.History:
    """Train an embedder on texts without pairs or labels (TSDAE).

    Words are deleted from each text at random, and a decoder predicts the
    original text from the embedding of the remaining words. The decoder shares
    the weights of the encoder. Its cross-attention and its head are new, and
    are discarded after training.

    Args:
        embedder: `TextEmbedder` of a BERT or RoBERTa. Usually, its pooling is
            "cls".
        texts: list of str. Words are separated by whitespace.
        deletion_ratio: probability that a word is deleted. One word of each
            text is always kept. The words are chosen again in each epoch.
        callbacks: list of Keras callbacks.
        verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
        **recipe: fields of `Recipe`.

    Returns:
        A Keras `History`. `loss` is the mean cross-entropy of the tokens.

    Raises:
        ValueError: a text or an argument is invalid, or the encoder has blocks
            other than `TransformerEncoderBlock`. Nothing is trained.

    References:
        [TSDAE](https://arxiv.org/abs/2104.06979)
    """
    options = Recipe.of_fit(fit_denoising, **recipe)
    checks.share(deletion_ratio=deletion_ratio)
    if not isinstance(embedder, TextEmbedder):
        raise ValueError(
            f"`embedder` must be a TextEmbedder. Received: {brief(embedder)}."
        )
    learner = Learner(
        denoising_model(embedder),
        EmbeddingOutputs(TokenMean()),
        embedder.pretrained,
        own_model=embedder.model,
    )
    (texts,) = encoded_texts(texts, SINGLE_KEYS)
    examples = DenoisingExamples(
        embedder.preprocess,
        [text.decode() for text in texts],
        deletion_ratio,
        options.seed,
    )
    return fine_tune(
        learner, examples, options, callbacks=callbacks, verbose=verbose
    )


def denoising_model(embedder):
    """Build the model of an embedder and a decoder with shared weights.

    Args:
        embedder: `TextEmbedder`.

    Returns:
        A `keras.Model` that takes examples of two texts, without and with the
        deleted words. Its output `embedding` is the sum of the losses of all
        predicted tokens, float32 `(batch_size, 1)`.
    """
    inputs = {
        name: keras.Input((2, None), dtype="int32", name=name)
        for name in embedder.input_names
    }
    noisy = TextRows(slice(0, 1))(inputs)
    original = TextRows(slice(1, 2))(inputs)
    vectors = embedder.model(noisy)["embedding"]
    losses = DenoisingDecoder(embedder.pretrained)(original, vectors)
    return keras.Model(inputs, {"embedding": losses})


class DenoisingDecoder(keras.layers.Layer):
    """Decoder that predicts the tokens of a text from its embedding.

    It has the embeddings and the blocks of an encoder. Tokens attend to earlier
    tokens and, between self-attention and feed-forward layer, to the embedding.
    The softmax over a single vector is 1, so this cross-attention consists of
    its value and output projections.

    Args:
        pretrained: `PretrainedModel` of the encoder.

    Call arguments:
        original: dict of int32 `(batch_size, seq_length)`, encoder inputs.
        vectors: float `(batch_size, dim)`, embeddings.

    Returns:
        float32 `(batch_size, 1)`, the sum of the losses of all tokens after the
        first one.
    """

    def __init__(self, pretrained):
        backbone, config = pretrained.backbone, pretrained.config
        policy = backbone.embeddings.dtype_policy
        super().__init__(name="denoising_decoder", dtype=policy)
        blocks = backbone.blocks
        heads = pretrained.family.heads(config, backbone.embeddings)
        has_blocks = blocks and all(
            isinstance(block, TransformerEncoderBlock) for block in blocks
        )
        if not has_blocks or "masked_lm_head" not in heads:
            raise ValueError(
                "`embedder` must have an encoder of TransformerEncoderBlocks "
                "with a masked-LM head. Received: "
                f"{type(config).__name__} with "
                f"{sorted({type(block).__name__ for block in blocks})}."
            )
        self.embeddings, self.blocks = backbone.embeddings, blocks
        self.head = heads["masked_lm_head"]
        self.values, self.outputs = (
            [
                keras.layers.Dense(
                    config.sizes["H"],
                    kernel_initializer=get_initializer(None),
                    dtype=policy,
                    name=f"{name}_{index}",
                )
                for index in range(len(self.blocks))
            ]
            for name in ("value", "output")
        )
        self.norms = [
            LayerNorm(
                config.layer_norm_eps, dtype="float32", name=f"layer_norm_{n}"
            )
            for n in range(len(self.blocks))
        ]
        self.dropout = Dropout(config.dropouts[0], dtype=policy)

    def build(self, original_shape, vectors_shape):
        states_shape = None, None, self.outputs[0].units
        for value, output, norm in zip(
            self.values, self.outputs, self.norms, strict=True
        ):
            value.build(vectors_shape)
            output.build(states_shape)
            norm.build(states_shape)
        self.head.build(states_shape)

    def call(self, original, vectors):
        ids = original[features.INPUT_IDS.name]
        states = self.embeddings(ids[:, :-1])  # [B, S, H]
        positions = ops.arange(ops.shape(states)[1], dtype="int32")
        context = {"ranks": ops.zeros_like(ids[:, :-1]) + positions}
        for block, value, output, norm in zip(
            self.blocks, self.values, self.outputs, self.norms, strict=True
        ):
            attended = block.self_attention(states, None, None, context)
            states = block.with_attended(states, attended)
            crossed = output(value(vectors))[:, None]
            crossed = self.dropout(crossed + ops.zeros_like(states))
            states = ops.cast(norm(states + crossed), states.dtype)
            states = block.with_output(states, block.feed_forward(states))
        weights = original[features.INPUT_MASK.name][:, 1:]
        losses = sparse_cross_entropy(ids[:, 1:], self.head(states))
        losses *= ops.cast(weights, "float32")
        return ops.sum(losses, axis=1, keepdims=True)

    def compute_output_spec(self, original, vectors):
        return keras.KerasTensor((None, 1), "float32")


class TokenMean(keras.losses.Loss):
    """Mean of token losses.

    Call arguments:
        num_tokens: float32 `(batch_size,)`, number of tokens of each text.
        sums: float32 `(batch_size, 1)`, sum of the losses of each text.
    """

    def call(self, num_tokens, sums):
        return ops.sum(sums) / ops.sum(num_tokens)


class DenoisingExamples:
    """Pairs of a text with deleted words and the original text.

    Words are deleted again in each pass over the texts; one pass is in memory.
    The index of an example is `number of the pass * len(texts) + number of the
    text`. All examples of a batch are from the same pass.

    Args:
        preprocess: `Preprocessor`.
        texts: list of str.
        deletion_ratio: float, probability that a word is deleted.
        seed: int, random seed.
    """

    extra_targets: dict = {}

    def __init__(self, preprocess, texts, deletion_ratio, seed):
        self._preprocess, self._texts = preprocess, texts
        self._deletion_ratio, self._seed = deletion_ratio, seed
        self._current = 0, self._pass(0)

    def epoch_batches(self, batch_size, seed, epoch):
        _, examples = self._current
        # The lengths of the original texts are the same in all passes.
        batches = training_buckets(examples.labels, batch_size, seed, epoch)
        return [epoch * len(self._texts) + batch for batch in batches]

    def batch(self, indices):
        """Create a batch; the targets are the numbers of predicted tokens."""
        number, examples = self._current
        wanted = int(indices[0]) // len(self._texts)
        if wanted != number:
            examples = self._pass(wanted)
            self._current = wanted, examples
        return examples.batch(indices % len(self._texts))

    def probe_batches(self):
        return self._current[1].probe_batches()

    def _pass(self, number):
        """Return the examples of a pass."""
        generator = random.Random(f"{self._seed} {number}")
        pairs = [
            (delete_words(text, self._deletion_ratio, generator), text)
            for text in self._texts
        ]
        examples = embedding_examples(self._preprocess, pairs)
        num_tokens = examples.rows.lengths[examples.groups[:, 1]] - 1
        return EmbeddingExamples(
            examples.rows, examples.groups, num_tokens.astype(np.float32)
        )


def delete_words(text, ratio, generator):
    """Delete words of a text at random; at least one word is kept.

    Args:
        text: str.
        ratio: float, probability that a word is deleted.
        generator: `random.Random`.
    """
    words = text.split()
    kept = [word for word in words if generator.random() >= ratio]
    return " ".join(kept or [generator.choice(words or [""])])
