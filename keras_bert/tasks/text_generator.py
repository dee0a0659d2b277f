"""Text generation with left-to-right models."""

import dataclasses
import functools
import typing
from typing import Annotated

from keras_bert import checks
from keras_bert import features
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checks import Check
from keras_bert.lazy_tensorflow import tf
from keras_bert.messages import brief
from keras_bert.models.left_to_right import LeftToRight
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.task import Task
from keras_bert.template import FIRST
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.typing import Path
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors
from keras_bert.typing import Texts

# Number of prompts that are continued together.
_BATCH_SIZE = 8
_NO_TOKEN = -1
_SEEDS = -(2**31), 2**31 - 1


class TextGenerator(Task):
    """Text generator for left-to-right models.

    Args:
        pretrained: GPT-1, or BERT with `is_decoder`, with a language-model
            head.
        max_new_tokens: maximum number of tokens to generate. Generation of a
            text stops at the end token, such as [SEP]. Long prompts are
            truncated on the left.
        temperature: value that divides the logits before sampling. If 0, the
            most probable token is selected.
        top_k: number of most probable tokens to sample from; 0 for all.
            Requires a `temperature`.
        top_p: total probability of the most probable tokens to sample from.
            Requires a `temperature`.
        seed: random seed for sampling.

    Raises:
        ValueError: the model is bidirectional or has no language-model head,
            or a value is out of range.

    Example:

    >>> generator = keras_bert.tasks.TextGenerator.from_pretrained("gpt1")
    >>> generator.generate(["the cat sat on the"], max_new_tokens=4)
    ['edge of the bed']

    References:
        [Nucleus sampling](https://arxiv.org/abs/1904.09751), section 3
    """

    output_names = ("generated_text", "generated_ids")
    preprocess: Preprocessor

    def __init__(
        self,
        pretrained: PretrainedModel,
        max_new_tokens: int = 32,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
    ):
        if not pretrained.config.is_decoder:
            raise ValueError(
                "`pretrained` must be a left-to-right model. Received: "
                f"{pretrained.family.name}, which is bidirectional."
            )
        self.pretrained = pretrained
        self.model = pretrained.pretrainer
        self.input_names = tuple(pretrained.backbone.inputs)
        self._steps = LeftToRight(
            pretrained.backbone, pretrained.heads["masked_lm_head"]
        )
        longest = pretrained.sequence_length() - 1
        self._others = {}  # Maps `Sampling` to the generators of `generate`.
        self._sampling = Sampling(
            max_new_tokens, temperature, top_k, top_p, seed
        )
        if max_new_tokens >= longest:
            raise ValueError(
                f"`max_new_tokens` must be below {longest}, to leave room for "
                f"a prompt. Received: max_new_tokens={max_new_tokens}."
            )
        template = pretrained.family.template
        before, _, _ = template.single.partition(FIRST)
        self.preprocess = Preprocessor(
            pretrained.tokenizer,
            dataclasses.replace(
                template, single=f"{before}A", pair=f"{before}A B"
            ),
            longest + 1 - max_new_tokens,
            truncation="tail",
        )

    @property
    def settings(self) -> dict[str, typing.Any]:  # type: ignore[override]
        """JSON-serializable sampling settings."""
        return dataclasses.asdict(self._sampling)

    @typing.overload
    def generate(
        self,
        prompts: str,
        *,
        seed: int | None = None,
        max_new_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> str: ...

    @typing.overload
    def generate(
        self,
        prompts: typing.Iterable,
        *,
        seed: int | None = None,
        max_new_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> list[str]: ...

    @one_or_many
    def generate(
        self,
        prompts: Texts,
        *,
        seed: int | None = None,
        max_new_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> typing.Any:
        """Generate the continuation of each prompt.

        Each combination of `max_new_tokens`, `temperature`, `top_k` and
        `top_p` is traced once, which takes seconds.

        Args:
            prompts: str or list of str. If the tokenizer adds no token at the
                beginning, as with GPT-1, a prompt must not be empty.
            seed: random seed for sampling. Defaults to the `seed` of the
                generator.
            max_new_tokens, temperature, top_k, top_p: settings that override
                the generator's settings in this call.

        Returns:
            A list with the continuation of each prompt, without the prompt.
            For a single prompt, a str.

        Raises:
            ValueError: a prompt is not a str or is empty, or a value is out
                of range.
        """
        seed = self._sampling.seed if seed is None else seed
        checks.between(*_SEEDS, seed=seed)
        given = {
            "max_new_tokens": max_new_tokens,
            "temperature": temperature,
            "top_k": top_k,
            "top_p": top_p,
        }
        changes = {k: x for k, x in given.items() if x is not None}
        if changes:
            values = {**self.settings, **changes}
            if not values["temperature"]:  # Sampling is off.
                values = {**values, "top_k": 0, "top_p": 1.0, **changes}
            sampling = Sampling(**values)
            if sampling not in self._others:
                self._others[sampling] = type(self)(self.pretrained, **values)
            return self._others[sampling].generate(prompts, seed=seed)
        encoded = checked_texts(prompts)
        texts = []
        for start in range(0, len(encoded), _BATCH_SIZE):
            batch = tf.constant(encoded[start : start + _BATCH_SIZE])
            inputs = self._preprocess(batch)
            empty = tf.where(inputs[features.INPUT_MASK.name][:, 0] == 0)
            if len(empty):
                raise ValueError(
                    "Each of `prompts` must have at least one token. Received: "
                    f"{brief(encoded[start + int(empty[0, 0])].decode())}."
                )
            answers = self._generate(
                inputs, first_row=tf.constant(start), seed=tf.constant(seed)
            )
            texts += answers["generated_text"].numpy().tolist()
        return [text.decode("utf-8", "replace") for text in texts]

    @functools.cached_property
    def _preprocess(self):
        return tf.function(self.preprocess, [tf.TensorSpec([None], tf.string)])

    @functools.cached_property
    def _generate(self):
        return tf.function(
            self.predict_ids, reduce_retracing=True, autograph=False
        )

    def predict_ids(
        self,
        inputs: Tensors,
        model: typing.Callable | None = None,
        *,
        first_row: Tensor = 0,
        seed: Tensor | None = None,
    ) -> Tensors:
        """Generate the continuation of token ids in a TensorFlow graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.
            model: not used; the loop calls the layers directly.
            first_row: int32 scalar, index of the first row. The samples of a
                row depend on its index.
            seed: int32 scalar, random seed for sampling. Defaults to the seed
                of the generator.

        Returns:
            A dict with `generated_text`, string `(batch_size,)`, and
            `generated_ids`, int32 `(batch_size, max_new_tokens)`, padded
            after the end of a text.
        """
        mask = inputs[features.INPUT_MASK.name]
        num_new = self._sampling.max_new_tokens
        seed = self._sampling.seed if seed is None else seed
        width = tf.reduce_max(tf.reduce_sum(mask, 1))
        prompts = inputs[features.INPUT_IDS.name][:, :width]
        # An empty row is continued after one padding token.
        lengths = tf.maximum(tf.reduce_sum(mask, 1, keepdims=True), 1)
        ids = tf.pad(prompts, [(0, 0), (0, num_new)])
        size = width + num_new
        vocabulary = self.preprocess.tokenizer.vocabulary

        def step(number, ids, kept):
            positions = lengths + number - 1
            logits, kept = self._steps.step(kept, ids, positions)
            # Skip padding rows of the embedding table.
            logits = logits[:, 0, : len(vocabulary)]
            chosen = self._sampling.choose(logits, first_row, [seed, number])
            is_next = tf.equal(tf.range(size), positions + 1)
            return number + 1, tf.where(is_next, chosen, ids), kept

        kept = self._steps.read(prompts, size)
        _, ids, _ = tf.while_loop(
            lambda number, *_: number < num_new,
            step,
            (0, ids, kept),
            shape_invariants=(
                tf.TensorShape([]),
                tf.TensorShape([None, None]),
                tf.nest.map_structure(_any_length, kept),
            ),
        )
        positions = lengths + tf.range(num_new)
        return self._decoded(tf.gather(ids, positions, batch_dims=1))

    def _decoded(self, ids):
        """Decode generated tokens up to the end token."""
        vocabulary = self.preprocess.tokenizer.vocabulary
        end = vocabulary.roles.get("sep")
        end = _NO_TOKEN if end is None else vocabulary.id_of(end)
        is_text = tf.cumsum(tf.cast(tf.equal(ids, end), tf.int32), 1) == 0
        padding = vocabulary.id_of(self.preprocess.template.padding)
        spelled = tf.constant([*vocabulary.spelled, b""])
        spelled = tf.gather(spelled, tf.where(is_text, ids, len(vocabulary)))
        text = tf.strings.strip(tf.strings.reduce_join(spelled, 1))
        return {
            "generated_text": text,
            "generated_ids": tf.where(is_text, ids, padding),
        }

    def export_tflite(  # type: ignore[override]
        self, path: Path, *args: typing.Any, **kwargs: typing.Any
    ) -> typing.NoReturn:
        """Raise ValueError, because TFLite does not support text generation.

        Args:
            path: not used.
            *args: not used.
            **kwargs: not used.
        """
        raise ValueError(
            "TFLite does not support text generation. Call "
            f"`export_saved_model` instead. Received: path={path}."
        )


def _any_length(kept):
    _, num_heads, _, head_size = kept.shape
    return tf.TensorShape([None, num_heads, None, head_size])


@dataclasses.dataclass(frozen=True)
class Sampling(checks.Checked):
    """Sampling settings, see `TextGenerator`."""

    max_new_tokens: Annotated[int, Check(checks.at_least, 1)] = 32
    temperature: Annotated[float, Check(checks.not_negative)] = 0.0
    top_k: Annotated[int, Check(checks.at_least, 0)] = 0
    top_p: Annotated[float, Check(checks.fraction)] = 1.0
    seed: Annotated[int, Check(checks.between, *_SEEDS)] = 0

    def __post_init__(self):
        super().__post_init__()
        if not self.temperature and (self.top_k or self.top_p < 1):
            raise ValueError(
                "`top_k` and `top_p` need a `temperature` above 0, such as "
                "1.0; at 0 the most probable token is selected. Received: "
                f"temperature={self.temperature}, top_k={self.top_k}, "
                f"top_p={self.top_p}."
            )

    def choose(self, logits, first_row, seed):
        """Sample a token for each row in a TensorFlow graph.

        Args:
            logits: float32 `(batch_size, vocab_size)`.
            first_row: int32 scalar, index of the first row.
            seed: pair of int32 scalars.

        Returns:
            int32 `(batch_size, 1)`.
        """
        if not self.temperature:
            chosen = tf.argmax(logits, axis=1, output_type=tf.int32)
            return chosen[:, tf.newaxis]
        size = logits.shape[1]
        kept = min(self.top_k or size, size)
        logits, ids = tf.math.top_k(logits / self.temperature, kept)
        shares = tf.nn.softmax(logits)
        # The most probable token is always kept.
        before = tf.cumsum(shares, axis=1, exclusive=True)
        shares = tf.where(before < self.top_p, shares, 0.0)
        sums = tf.cumsum(shares, axis=1)
        num_rows = first_row + tf.shape(logits)[0]
        drawn = tf.random.stateless_uniform([num_rows, 1], seed)[first_row:]
        index = tf.reduce_sum(
            tf.cast(sums <= drawn * sums[:, -1:], tf.int32), 1, keepdims=True
        )
        index = tf.minimum(index, kept - 1)
        return tf.gather(ids, index, batch_dims=1)
