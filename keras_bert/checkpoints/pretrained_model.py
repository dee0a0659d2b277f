"""Pre-trained models with their config and tokenizer."""

import dataclasses
import math
import numbers
import typing
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

import keras
import numpy as np
from absl import logging
from keras import ops

from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.tokenizer import check_tokenizer
from keras_bert.config import StrictConfig
from keras_bert.layers.flat_dense import check_not_quantized
from keras_bert.layers.flat_dense import dense_layers
from keras_bert.messages import brief
from keras_bert.models.backbone import Backbone
from keras_bert.models.backbone import student_layer_indices
from keras_bert.models.family import Family
from keras_bert.models.heads import add_heads
from keras_bert.models.task_model import add_task_head
from keras_bert.summary import Summarized
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer
from keras_bert.typing import Tensors

if typing.TYPE_CHECKING:
    from keras_bert.text.tokenizer import Tokenizer

_Tokenizer: typing.TypeAlias = "Tokenizer | FileDefinedTokenizer"


class PretrainedModel(Summarized):
    """Pre-trained model with its config, tokenizer and heads.

    Args:
        config: a config of any family.
        tokenizer: `Tokenizer` with at most `vocab_size` tokens, or its
            settings to create it on first use.
        backbone: layers of the encoder.
        heads: dict mapping names of model parts to head layers.
        parts: optional parts of the model, such as "pooler" and
            "masked_lm_head".
        task: task of a fine-tuned model, or None.
        task_head: layer of the task head, or None.

    Attributes:
        family: `Family`.
        encoder: model that maps the family's inputs to `sequence_output` and,
            if it has a pooler, `pooled_output`.
        model: encoder with all heads.
        task_model: encoder with the task head that maps the family's inputs to
            `logits`; None without a head.
        head_is_random: bool, whether `for_task` created the task head.
        tokenizer_settings: settings of the tokenizer. The vocabulary is
            available without TensorFlow.
        name_or_path: argument of `from_pretrained` that loaded the weights, or
            None.
        added_layers: list of layers that a task applies to the outputs. They
            are saved with the task, not with the model.
        published_class: class to name in the `config.json` of Hugging Face, or
            None for the class that has the parts.
        published_weights: dict of weights that this class has besides, by the
            names of their arrays.
    """

    def __init__(
        self,
        config: StrictConfig,
        tokenizer: _Tokenizer,
        backbone: Backbone,
        heads: Mapping[str, keras.layers.Layer],
        parts: Iterable[str],
        task: TaskRecord | None = None,
        task_head: keras.layers.Layer | None = None,
    ):
        self.family: Family = find_family(config.model_type)
        self.config: typing.Any = config  # Each family has its own keys.
        settings = getattr(tokenizer, "settings", tokenizer)
        self.tokenizer_settings: FileDefinedTokenizer = settings
        is_made = tokenizer is not settings
        self._tokenizer: typing.Any = tokenizer if is_made else None
        self.backbone = backbone
        self.parts = frozenset(parts)
        self.heads = {part: heads[part] for part in heads if part in self.parts}
        name = self.family.model_name
        self.encoder = backbone.encoder(
            name("encoder"), pools="pooler" in self.parts
        )
        self.model = self.encoder
        if self.heads:
            self.model = add_heads(backbone, self.heads, name("pretrainer"))
        self.task, self.task_head = task, task_head
        self.head_is_random = False
        self.name_or_path: str | None = None
        self.added_layers: list[keras.layers.Layer] = []
        self.published_class: str | None = None
        self.published_weights: dict[str, typing.Any] = {}
        self.task_model = None
        if task_head:
            head_name = task.head.part
            head_kind = self.family.task_heads[head_name]
            self.task_model = add_task_head(
                head_kind.backbone(backbone, config, head_name),
                task_head,
                head_kind.reads_of(config),
                name(head_name),
            )

    def _facts(self):
        return {
            "family": self.family.name,
            "num_layers": len(self.backbone.blocks),
            "hidden_size": self.config.sizes["H"],
            "vocab_size": self.config.sizes["V"],
            "num_parameters": sum(
                math.prod(x.shape) for x in self.weights.values()
            ),
            "parts": sorted(self.parts),
            "task": self.task and self.task.task,
        }

    @classmethod
    def from_config(
        cls,
        config: StrictConfig,
        tokenizer: _Tokenizer,
        parts: Iterable[str] | None = None,
        task: TaskRecord | None = None,
    ) -> typing.Self:
        """Create a model with random weights.

        Args:
            config: a config of any family.
            tokenizer: `Tokenizer`, or its settings.
            parts: optional parts of the model; by default all parts of the
                family.
            task: task with a head, or None.

        Raises:
            ValueError: the tokenizer does not match the config, the family
                lacks a part, or the weights of Keras's dtype policy are not
                float32.
        """
        policy = keras.config.dtype_policy()
        if policy.variable_dtype != "float32":
            raise ValueError(
                "The dtype policy must be float32, mixed_bfloat16 or "
                "mixed_float16, because the weights are float32. Set it with "
                f"`keras.config.set_dtype_policy`. Received: {policy.name}."
            )
        check_tokenizer(config, tokenizer)
        family = find_family(config.model_type)
        parts = [*family.parts] if parts is None else [*parts]
        lacking = [part for part in parts if part not in family.parts]
        if lacking:
            raise ValueError(
                f"`parts` must be parts of {family.name}: "
                f"{', '.join(family.parts)}. Received: {', '.join(lacking)}."
            )
        backbone = family.backbone(config)
        heads = family.heads(config, backbone.embeddings)
        size = task and task.head
        head = size and _task_head(config, size)
        return cls(config, tokenizer, backbone, heads, parts, task, head)

    def with_parts(self, parts: Collection[str]) -> typing.Self:
        """Return a model with only some parts. Weights are shared.

        Args:
            parts: names of model parts, such as "pooler".
        """
        self.check_parts(*parts)
        return self._with(parts=parts)

    def smaller(self, num_layers: int) -> typing.Self:
        """Return a model with fewer layers, initialized from this model.

        `student_layer_indices` chooses the layers. All other weights are
        copied too. If layers share their weights, only their number changes.

        Args:
            num_layers: number of layers.

        Raises:
            ValueError: the model has fewer layers.
        """
        config, blocks = self.config, self.backbone.blocks
        kept = student_layer_indices(
            config.sizes["L"], num_layers, config.layer_period
        )
        changes = {config.size_keys["L"]: num_layers}
        if isinstance(config.attention_window, tuple):
            windows = tuple(config.attention_window[old] for old in kept)
            changes["attention_window"] = windows
        if "L" not in config.block_letters:
            kept = []
        return self._copied(
            changes,
            self._tokenizer or self.tokenizer_settings,
            {f"block_{new}": blocks[old].name for new, old in enumerate(kept)},
        )

    def with_task(self, task: TaskRecord) -> typing.Self:
        """Return a model with the same weights and a task without a head.

        Args:
            task: the task.
        """
        return self._with(task=task, task_head=None)

    def without_task(self) -> typing.Self:
        """Return a model with the same weights but without the task head."""
        return self._with(task=None, task_head=None)

    def with_tokenizer(self, tokenizer: _Tokenizer) -> typing.Self:
        """Return a model with the same weights and a different tokenizer.

        Args:
            tokenizer: `Tokenizer`, or its settings, with the same vocabulary.
        """
        return self._with(tokenizer=tokenizer)

    def with_tokens(self, tokens: Sequence[str]) -> typing.Self:
        """Return a copy of the model with additional tokens.

        The embeddings of the new tokens are random.

        Args:
            tokens: the new tokens.

        Raises:
            ValueError: the tokenizer does not support added tokens.
        """
        settings, config = self.tokenizer_settings, self.config
        vocabulary = settings.vocabulary.with_tokens(tokens)
        num_rows = max(config.sizes["V"], len(vocabulary))
        return self._copied(
            {config.size_keys["V"]: num_rows},
            dataclasses.replace(settings, vocabulary=vocabulary),
        )

    def _copied(self, changes, tokenizer, layers=()):
        """Return a copy of the model with config changes.

        Args:
            changes: dict of config values.
            tokenizer: `Tokenizer`, or its settings.
            layers: dict mapping names of new layers to names of copied layers.
        """
        config = dataclasses.replace(self.config, **changes)
        copy = self.from_config(config, tokenizer, self.parts, self.task)
        weights, layers = self.weights, dict(layers)
        for path, weight in copy.weights.items():
            layer, _, name = path.partition("/")
            known = np.asarray(weights[f"{layers.get(layer, layer)}/{name}"])
            values = np.asarray(weight).copy()
            values[tuple(map(slice, known.shape))] = known
            weight.assign(values)
        return copy

    def for_task(
        self, task: TaskRecord, outputs: Sequence[int] | None = None
    ) -> typing.Self:
        """Return a model with the same encoder and only a task head.

        An existing head with the same name and size is kept; otherwise the
        head is random. If the head needs a pooler and there is none, it is
        initialized randomly. If the template of the head needs special tokens
        that are missing from the vocabulary, they are added to a copy of the
        model.

        Args:
            task: the task.
            outputs: indices of the outputs to keep, in the new order; empty
                for a new random head. By default all outputs.

        Raises:
            ValueError: the existing head lacks its pooler.
        """
        if task.head is None:
            parts = self.parts & {"pooler"}
            return self._with(heads={}, parts=parts, task=task, task_head=None)
        vocabulary = self.tokenizer_settings.vocabulary
        template = self.family.template_of(task.head.part)
        named = template.with_tokens(vocabulary.roles).tokens
        lacking = [token for token in named if token not in vocabulary]
        if lacking:
            logging.info("Randomly initialized tokens: %s.", ", ".join(lacking))
            return self.with_tokens(lacking).for_task(task, outputs)
        head_kind = self.family.task_heads[task.head.part]
        reads = head_kind.reads_of(self.config)
        parts = ["pooler"] if reads == "pooled_output" else []
        head = self.task_head
        is_kept = head and self.task.head == task.head and outputs != []
        if is_kept:
            self.check_parts(*parts)
        elif head:
            logging.info(
                "Replacing the head of %s by a new random head of %s.",
                _described(self.task),
                _described(task),
            )
        if {*parts} - self.parts:
            logging.info("The pooler is new and initialized randomly.")
        is_moved = is_kept and outputs and outputs != sorted(outputs)
        if is_moved or not is_kept:
            head = _task_head(self.config, task.head)
        model = self._with(heads={}, parts=parts, task=task, task_head=head)
        model.head_is_random = not is_kept
        if is_moved:
            head.set_weights(self.task_head.get_weights())
            head.reorder_outputs(outputs)
        return model

    def _with(self, **changes):
        kept = ("config", "backbone", "heads", "parts", "task", "task_head")
        values = {name: getattr(self, name) for name in kept}
        values["tokenizer"] = self._tokenizer or self.tokenizer_settings
        model = type(self)(**{**values, **changes})
        model.name_or_path = self.name_or_path
        return model

    @property
    def tokenizer(self) -> "Tokenizer":
        """Tokenizer of the model, created on first use.

        Raises:
            ModuleNotFoundError: a required package is missing.
        """
        if self._tokenizer is None:
            self._tokenizer = self.tokenizer_settings.make()
        return self._tokenizer

    @property
    def weights(self) -> Tensors:
        """Dict mapping weight paths to weights.

        The adapters of `enable_lora` are merged into the kernels.

        Raises:
            ValueError: a layer is quantized.
        """
        # If there is no next-sentence head, only the encoder has the pooler.
        models = [self.encoder, self.model]
        if self.task_model:
            models.append(self.task_model)
        for model in models:
            check_not_quantized(model)
        weights = {
            w.path: w
            for model in models
            for w in model.weights
            if not w.name.startswith("lora_")
        }
        layers = [x for model in models for x in dense_layers(model)]
        for layer in dict.fromkeys(layers):
            if layer.lora_enabled:
                added = ops.matmul(layer.lora_kernel_a, layer.lora_kernel_b)
                added *= layer.lora_alpha / layer.lora_rank
                path = f"{layer.path}/kernel"
                weights[path] = ops.add(weights[path], added)
        return weights

    @property
    def pretrainer(self) -> keras.Model:
        """The model with the pre-training heads.

        Raises:
            ValueError: the model has no masked-LM head.
        """
        self.check_parts("masked_lm_head")
        return self.model

    def packed_pretrainer(self) -> keras.Model:
        """Build the pretrainer for packed sequences, see `Backbone.packed`."""
        self.check_parts("masked_lm_head")
        backbone, name = self.backbone.packed(), self.model.name
        return add_heads(backbone, self.heads, f"packed_{name}")

    def check_parts(self, *wanted: str) -> None:
        """Raise ValueError if a part is missing.

        Args:
            *wanted: names of model parts, such as "pooler".
        """
        lacking = [part for part in wanted if part not in self.parts]
        if lacking:
            raise ValueError(
                f"This {self.family.name} has no {' and no '.join(lacking)}, "
                "because the checkpoint has none. To start with random "
                f"weights, load it with `allow_missing={lacking}`."
            )

    def sequence_length(self, seq_length: int | None = None) -> int:
        """Check a sequence length and return it.

        Args:
            seq_length: a length. Defaults to the limit of the model.

        Raises:
            ValueError: `seq_length` is below 1 or longer than the limit.
        """
        limit = self.config.max_seq_length
        if seq_length is None:
            return limit
        is_int = isinstance(seq_length, numbers.Integral)
        if not is_int or not 1 <= seq_length <= limit:
            key = self.config.size_keys["P"]
            raise ValueError(
                f"`seq_length` must be from 1 to {limit}, the number of "
                f"positions of the model. Received: seq_length="
                f"{brief(seq_length)}, "
                f"{key}={self.config.sizes['P']}."
            )
        return seq_length


def _task_head(config, size):
    """Build a new task head for a config's family."""
    head_kind = find_family(config.model_type).task_heads[size.part]
    return head_kind.layer(config, size.num_outputs, size.part)


def _described(task):
    return f"{task.task} ({task.head.part}, {task.head.num_outputs} outputs)"
