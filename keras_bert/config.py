"""Model configurations and strict readers for published config files."""

import dataclasses
import functools
import json
import pathlib
import typing
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.messages import brief
from keras_bert.typing import Path

# "gelu" is the tanh form in Google's files and the erf form in Hugging Face's.
_ACTIVATIONS = ("gelu_tanh", "gelu_erf", "relu", "tanh")
_ACTIVATION_SYNONYMS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python": "gelu_erf",
}
_HUGGING_FACE_MARKS = (
    "architectures",
    "layer_norm_eps",
    "model_type",
    "transformers_version",
)

# Hugging Face keys that change no output in any family: metadata, and settings
# for training, tokenizers, generation and output formats.
_HARMLESS_KEYS = frozenset(
    """_attn_implementation _attn_implementation_autoset _commit_hash
    _name_or_path _num_labels architectures attn_implementation bad_words_ids
    begin_suppress_tokens bos_token_id chunk_size_feed_forward cls_token_id
    cross_attention_hidden_size decoder_start_token_id diversity_penalty
    do_sample dtype early_stopping encoder_no_repeat_ngram_size eos_token_id
    eos_token_ids exponential_decay_length_penalty finetuning_task
    forced_bos_token_id forced_eos_token_id gradient_checkpointing id2label
    label2id language length_penalty mask_token_id max_length min_length
    model_max_length name no_repeat_ngram_size num_beam_groups num_beams
    num_labels num_return_sequences output_attentions output_hidden_states
    output_past output_scores pad_token_id prefix problem_type
    remove_invalid_values repetition_penalty return_dict
    return_dict_in_generate sbert_ce_default_activation_function
    sentence_transformers sep_token_id summary_activation
    summary_first_dropout summary_last_dropout summary_proj_to_labels
    summary_type summary_use_proj suppress_tokens task_specific_params
    temperature tf_legacy_loss tie_encoder_decoder tokenizer_class top_k top_p
    torch_dtype torchscript transformers_version typical_p unk_token_id
    use_bfloat16 use_cache xla_device""".split()
)
# Keys that change the architecture: only one value is supported.
_REQUIRED_VALUES = {
    "add_cross_attention": False,
    "is_decoder": False,
    "is_encoder_decoder": False,
    "per_layer_config": {},
    "pruned_heads": {},
    "quantization_config": {},
    "tie_word_embeddings": True,
}

_CHECKS = {
    bool: checks.flag,
    int: functools.partial(checks.at_least, 1),
    float: checks.not_negative,
}
# Map suffixes of field names to checks.
_CHECKS_OF_NAMES = {
    ("_prob", "dropout", "pdrop"): checks.share,
    ("_id",): functools.partial(checks.at_least, 0),
}


def check_supported(values, allowed, used=()):
    """Raise ValueError for a setting that would have no effect.

    Args:
        values: dict of settings from a file.
        allowed: dict mapping keys to lists of their supported values.
        used: collection of other keys that are read or change no number. All
            other keys must be empty: None, False, or an empty list or dict.
    """
    for key, value in values.items():
        is_used = key in used and key not in allowed
        if not is_used and value not in allowed.get(key, [None, False, [], {}]):
            wanted = " or ".join(map(str, allowed.get(key, ["absent"])))
            raise ValueError(
                f"`{key}` must be {wanted}. Received: {brief(value)}."
            )


class StrictConfig:
    """Base class for the configurations of all model families.

    The config of a family is a frozen dataclass derived from this class. Its
    fields are the published keys that the layers depend on. Class attributes
    describe the family:

        family: str, display name.
        model_type: str, name in published files.
        size_keys: dict mapping letters to the keys of sizes: "V" vocabulary,
            "P" positions, "H" hidden size, "I" intermediate size, "L" blocks,
            "N" attention heads (must divide "H"), "E" embedding size if it
            differs from "H", and other letters in the `weights.txt` of the
            family.
        block_letters: str, letters of sizes. The product of these sizes is the
            number of blocks with separate weights.
        layer_period: int, distance between two blocks of the same kind.
        is_decoder: bool, whether attention is causal.
        informative_keys: published keys that do not change the layers.
        transformers_defaults: dict mapping published keys to their defaults in
            transformers that are not the defaults of the fields.
        required_values: dict mapping published keys to their only supported
            value.
        activation_key: str, key of the activation function.
        plain_gelu: str, meaning of "gelu" in files that are not from Hugging
            Face.
        dropout_keys: keys of three dropout rates: hidden vectors, attention
            weights and the task head.
        layer_norm_eps: float, small constant added to the variance in
            LayerNorm.
        attention_window: int, even number of neighbours that a token attends
            to, half of them on each side. 0 for attention to all tokens.
        short_model_type: str, `model_type` of the models that
            `keras_bert.models.make_long` converts to this family.
        google_head_size: int or None, size of an attention head in checkpoints
            of google-research that have no config. The other sizes are inferred
            from array shapes.
    """

    family = ""
    model_type = ""
    size_keys = {
        "V": "vocab_size",
        "P": "max_position_embeddings",
        "H": "hidden_size",
        "I": "intermediate_size",
        "L": "num_hidden_layers",
        "N": "num_attention_heads",
    }
    block_letters = "L"
    layer_period = 1
    is_decoder = False
    informative_keys = frozenset()
    transformers_defaults = {}
    required_values = {}
    activation_key = "hidden_act"
    plain_gelu = "gelu_tanh"
    dropout_keys = (
        "hidden_dropout_prob",
        "attention_probs_dropout_prob",
        "hidden_dropout_prob",
    )
    layer_norm_eps = 1e-12
    google_head_size = None
    attention_window = 0
    short_model_type = ""

    def __post_init__(self):
        for field in dataclasses.fields(self):
            check_value(field, getattr(self, field.name))
        key = self.activation_key
        if getattr(self, key) not in _ACTIVATIONS:
            raise ValueError(
                f"`{key}` must be one of {', '.join(_ACTIVATIONS)} "
                '("gelu" means gelu_tanh in google-research/bert and gelu_erf '
                "in transformers). Received: "
                f"{key}={brief(getattr(self, key))}."
            )
        width, num_heads = self.size_keys["H"], self.size_keys["N"]
        if getattr(self, width) % getattr(self, num_heads):
            raise ValueError(
                f"`{width}` must be divisible by `{num_heads}`. "
                f"Received: {width}={getattr(self, width)}, "
                f"{num_heads}={getattr(self, num_heads)}."
            )

    @property
    def sizes(self) -> dict[str, int]:
        """Dict mapping the letters of `size_keys` to sizes."""
        return {
            letter: getattr(self, key) for letter, key in self.size_keys.items()
        }

    @property
    def block_counts(self) -> tuple[int, ...]:
        """Sizes of `block_letters`. Their product counts unshared blocks."""
        return tuple(self.sizes[letter] for letter in self.block_letters)

    @property
    def depth(self) -> int:
        """Number of block applications, counting shared blocks repeatedly."""
        return self.sizes["L"]

    @property
    def windows(self) -> tuple[int, ...]:
        """Value of `attention_window` for each block."""
        return (self.attention_window,) * self.sizes["L"]

    @property
    def dropouts(self) -> tuple[float, ...]:
        """Values of the three `dropout_keys`."""
        return tuple(getattr(self, key) for key in self.dropout_keys)

    @property
    def max_seq_length(self) -> int:
        """Maximum sequence length that the position embeddings support."""
        return self.sizes["P"]

    @property
    def derived_values(self) -> dict[str, typing.Any]:
        """Dict of published keys that are derived from other values."""
        return {}

    @classmethod
    def from_json(cls, path: Path) -> typing.Self:
        """Read a config file and raise an error for unknown keys.

        Args:
            path: path of a `bert_config.json` of google-research/bert, a
                `config.json` of Hugging Face or a file written by `to_json`.

        Returns:
            A config of this class.

        Raises:
            ValueError: the file is not a JSON object, lacks `vocab_size`, has
                unknown keys or describes a different architecture.
        """
        try:
            return cls.from_dict(read_json_object(path))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, values: dict[str, typing.Any]) -> typing.Self:
        """Create a config from a dict, with the checks of `from_json`.

        Args:
            values: dict mapping config keys to values.
        """
        config, unknown = cls._parse(values)
        for key in unknown:
            names = [field.name for field in dataclasses.fields(cls)]
            raise ValueError(
                f"Unknown config key. Received: {key}={brief(values[key])}. "
                f"Known: {', '.join(names)}."
            )
        return config

    @classmethod
    def from_transformers(
        cls, values: dict[str, typing.Any]
    ) -> tuple[typing.Self, list[str]]:
        """Create a config from a dict as transformers does.

        Missing keys take the defaults of transformers. Unknown keys are
        ignored, except keys that are known to change the architecture.

        Args:
            values: dict mapping config keys to values.

        Returns:
            The config and a list of the unknown keys.
        """
        keys = StrictConfig.size_keys
        synonyms = {keys[x]: cls.size_keys[x] for x in "HLNP"}
        values = {synonyms.get(key, key): x for key, x in values.items()}
        try:
            return cls._parse({**cls.transformers_defaults, **values})
        except ValueError as error:
            missing = [
                f"`{key}` is missing from the file: transformers uses {x!r}."
                for key, x in cls.transformers_defaults.items()
                if key not in values and f"`{key}`" in str(error)
            ]
            raise ValueError(" ".join([str(error), *missing])) from None

    @classmethod
    def _parse(cls, values):
        """Return a config and a list of the unknown keys."""
        names = [field.name for field in dataclasses.fields(cls)]
        required = {
            "model_type": cls.model_type,
            **{k: x for k, x in _REQUIRED_VALUES.items() if k not in names},
            **cls.required_values,
        }
        for key, wanted in required.items():
            value = values.get(key, wanted)
            if value != wanted and (wanted or value is not None):
                raise ValueError(
                    f"`{key}` must be {wanted!r} for {cls.family}. "
                    f"Received: {key}={brief(value)}. Models with other values "
                    "are not supported. If the value is a mistake, correct it."
                )
        if "vocab_size" not in values:
            raise ValueError("`vocab_size` is missing.")
        own = {name: values[name] for name in names if name in values}
        activation = own.get(cls.activation_key)
        if isinstance(activation, str):
            own[cls.activation_key] = cls._own_activation(activation, values)
        config = cls(**own)
        for key, wanted in config.derived_values.items():
            if values.get(key) not in (None, wanted):
                raise ValueError(
                    f"`{key}` must be {wanted} for this {cls.family}. "
                    f"Received: {key}={brief(values[key])}."
                )
        known = {*names, *required, *_HARMLESS_KEYS, *cls.informative_keys}
        known |= {*config.derived_values}
        return config, [key for key in values if key not in known]

    @classmethod
    def _own_activation(cls, activation, values):
        if activation == "gelu":
            hugging_face = any(mark in values for mark in _HUGGING_FACE_MARKS)
            return "gelu_erf" if hugging_face else cls.plain_gelu
        return _ACTIVATION_SYNONYMS.get(activation, activation)

    def to_dict(self) -> dict[str, typing.Any]:
        """Return a dict mapping published keys to values, for `from_dict`."""
        return {"model_type": self.model_type, **self.fields()}

    def fields(self) -> dict[str, typing.Any]:
        """Return the fields as a dict, without an `attention_window` of 0."""
        values = dataclasses.asdict(self)
        if not self.attention_window:
            # Files from earlier releases lack this key.
            values.pop("attention_window", None)
        return values

    def to_json(self, path: Path) -> None:
        """Write the config to a JSON file, for `from_json`.

        Args:
            path: path of the file.
        """
        text = json.dumps(self.to_dict(), indent=2)
        pathlib.Path(path).write_text(
            text + "\n", encoding="utf-8", newline="\n"
        )


@dataclasses.dataclass(frozen=True)
class EncoderConfig(StrictConfig):
    """Base class for configurations with BERT's keys, see `BertConfig`."""

    vocab_size: int
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu_tanh"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12

    size_keys = {**StrictConfig.size_keys, "S": "type_vocab_size"}
    required_values = {"position_embedding_type": "absolute"}


@dataclasses.dataclass(frozen=True)
class BertConfig(EncoderConfig):
    """Configuration of a BERT model.

    The keys are the same as in the published `bert_config.json`. Only
    `hidden_act: "gelu"` is ambiguous: google-research/bert computes the tanh
    form and Hugging Face the erf form. They are called `"gelu_tanh"` and
    `"gelu_erf"` here.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the token vectors.
        num_hidden_layers: number of Transformer blocks.
        num_attention_heads: number of attention heads. Must divide
            `hidden_size`.
        intermediate_size: hidden size of the feed-forward layers.
        hidden_act: "gelu_tanh", "gelu_erf", "relu" or "tanh".
        hidden_dropout_prob: dropout after embeddings and sublayers.
        attention_probs_dropout_prob: dropout of attention weights.
        max_position_embeddings: maximum sequence length.
        type_vocab_size: number of segments.
        initializer_range: standard deviation of initial weights.
        layer_norm_eps: small float added to the variance in LayerNorm.
        is_decoder: whether attention is causal.
        attention_window: even number of neighbours that a token attends to,
            see `keras_bert.models.make_long`. 0 for attention to all tokens.

    Raises:
        ValueError: a value has the wrong type or is out of range, or
            `num_attention_heads` does not divide `hidden_size`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3 and appendix A.2
    """

    is_decoder: bool = False
    attention_window: Annotated[int, Check(checks.even, 0)] = 0

    family = "BERT"
    model_type = "bert"
    informative_keys = frozenset(
        """classifier_dropout directionality pooler_fc_size
        pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head
        pooler_type""".split()
    )
    transformers_defaults = {"vocab_size": 30522, "hidden_act": "gelu"}


def published_classes(values):
    """Return the `architectures` of a `config.json` of transformers.

    Args:
        values: dict, the contents of the file.

    Raises:
        ValueError: they are not a list of names.
    """
    names = values.get("architectures") or []
    if not isinstance(names, list) or not {*map(type, names)} <= {str}:
        raise ValueError(
            "`architectures` must be a list of names of classes. Received: "
            f"{brief(names)}."
        )
    return names


def read_json_object(path):
    """Read a JSON file that contains an object.

    Args:
        path: path of the file.

    Returns:
        A dict.

    Raises:
        ValueError: the file is not JSON, or not an object.
    """
    try:
        values = json.loads(pathlib.Path(path).read_text("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a JSON file: {error}") from None
    if not isinstance(values, dict):
        raise ValueError(
            f"must hold a JSON object. Received: {type(values).__name__}."
        )
    return values


def read_json_file(path):
    """Read a JSON object, with the path of the file in errors."""
    try:
        return read_json_object(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def check_value(field, value):
    """Raise ValueError unless a value is valid for its dataclass field.

    A field can have its own check, see `checks.check_of`. Other fields are
    checked by their type and the suffix of their name.
    """
    check = _CHECKS.get(field.type)
    for ends, of_name in _CHECKS_OF_NAMES.items():
        check = of_name if field.name.endswith(ends) else check
    check = checks.check_of(field) or check
    if check is not None:
        check(**{field.name: value})
