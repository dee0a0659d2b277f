"""A model as a source of features: a vector for each text."""

import concurrent.futures

import numpy as np
import tensorflow as tf

from keras_bert.checkpoints import from_pretrained
from keras_bert.tasks.length_buckets import length_buckets
from keras_bert.tasks.pooling import POOLINGS
from keras_bert.tasks.texts import checked_texts
from keras_bert.text.preprocessor import Preprocessor

# So many are packed to the full length together.
_TEXTS_AT_ONCE = 16384

# While one batch is in an op that uses one core, the other uses the rest.
_BATCHES_AT_ONCE = 2


class TextEmbedder:
    """Turns texts into vectors.

    The precision is that of the model: for bfloat16, faster where the
    processor has it, read the checkpoint after
    `keras.config.set_dtype_policy("mixed_bfloat16")`. The vectors are float32
    in any case.

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

    Example:

    >>> embedder = keras_bert.TextEmbedder.from_pretrained("directory")
    >>> embedder.embed(["some text", "another"]).shape
    (2, 384)

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """

    outputs = ("embedding",)

    def __init__(
        self, pretrained, seq_length=None, pooling="mean", batch_tokens=1024
    ):
        if pooling not in POOLINGS:
            raise ValueError(
                f"`pooling` must be one of {', '.join(POOLINGS)}. "
                f"Received: pooling={pooling!r}."
            )
        if batch_tokens < 1:
            raise ValueError(
                "`batch_tokens` must be at least 1. "
                f"Received: batch_tokens={batch_tokens}."
            )
        num_layers, self._pool = POOLINGS[pooling]
        config = pretrained.config
        if num_layers > config.sizes["L"]:
            raise ValueError(
                f"`pooling`={pooling!r} needs a model of at least {num_layers} "
                f"layers. Received: {config.size_keys['L']}="
                f"{config.sizes['L']}."
            )
        self.dim = num_layers * config.sizes["H"]
        self.batch_tokens = batch_tokens
        self.preprocess = Preprocessor(
            pretrained.tokenizer,
            pretrained.family.template,
            pretrained.sequence_length(seq_length),
        )
        backbone = pretrained.backbone
        self.inputs = tuple(backbone.inputs)
        self.model = backbone.states_model(num_layers)
        self._all_layers = backbone.states_model()
        self._embed = self._from_ids(lambda ids: self.predict(ids)["embedding"])
        self._layers = self._from_ids(self.predict_layers)
        self._tokenize = tf.function(
            self.preprocess,
            input_signature=[tf.TensorSpec([None], tf.string)],
        )

    @classmethod
    def from_pretrained(cls, directory, lowercase=None, **kwargs):
        """Reads a checkpoint, as of `keras_bert.from_pretrained`.

        Args:
            directory: str.
            lowercase: bool, where no file says whether texts are lower-cased.
            **kwargs: other arguments of the class.
        """
        return cls(from_pretrained(directory, lowercase=lowercase), **kwargs)

    def embed(self, texts):
        """Computes a vector for each text.

        Args:
            texts: list of str; it may be empty.

        Returns:
            A float32 array `(num_texts, dim)`, in the order of the texts.

        Raises:
            ValueError: one is no str, or not even text; its index is named
                before any is embedded.
        """
        texts = checked_texts(texts)
        embeddings = np.empty((len(texts), self.dim), np.float32)
        for indices, _, batch in self._batches(self._embed, texts):
            embeddings[indices] = batch
        return embeddings

    def layers(self, texts):
        """Computes what every layer makes of every token.

        Args:
            texts: list of str.

        Returns:
            A list with a float32 array for each text,
            `(num_hidden_layers + 1, num_tokens, hidden_size)`: the
            embeddings, then the output of each layer. The first token is
            [CLS], the last [SEP].
        """
        texts = checked_texts(texts)
        states = [None] * len(texts)
        for indices, lengths, batch in self._batches(self._layers, texts):
            for index, length, rows in zip(indices, lengths, batch):
                states[index] = rows[:, :length].astype(np.float32)
        return states

    def predict(self, inputs):
        """Embeds, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.

        Returns:
            A dict of `embedding`, float32 `(batch_size, dim)`.
        """
        pooled = [
            self._pool(tf.cast(states, tf.float32), inputs["input_mask"])
            for states in _in_order(self.model(inputs))
        ]
        return {"embedding": tf.concat(pooled, axis=-1)}

    def predict_layers(self, inputs):
        """Computes the output of every layer, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.

        Returns:
            float `(batch_size, num_hidden_layers + 1, seq_length,
            hidden_size)`, the embeddings first.
        """
        return tf.stack(_in_order(self._all_layers(inputs)), axis=1)

    def _from_ids(self, function):
        """A graph function of the model's id tensors, traced but once."""
        names = self.inputs
        return tf.function(
            lambda *ids: function(dict(zip(names, ids))),
            input_signature=[tf.TensorSpec([None, None], tf.int32)]
            * len(names),
        )

    def _batches(self, function, texts):
        """Yields places of texts, their lengths and what `function` gives."""
        with concurrent.futures.ThreadPoolExecutor(_BATCHES_AT_ONCE) as pool:
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                inputs = self._tokenize(texts[start : start + _TEXTS_AT_ONCE])
                lengths = inputs["input_mask"].numpy().sum(axis=1)
                inputs = [inputs[name].numpy() for name in self.inputs]

                def compute(indices):
                    width = lengths[indices[0]]  # The first is the longest.
                    return function(*(x[indices, :width] for x in inputs))

                buckets = length_buckets(lengths, self.batch_tokens)
                for indices, batch in zip(buckets, pool.map(compute, buckets)):
                    yield start + indices, lengths[indices], batch.numpy()


def _in_order(outputs):
    """A dict may come back in another order than it was given in."""
    return [outputs[str(n)] for n in range(len(outputs))]
