"""Sizes of a model, read strictly under the keys of the published files."""

import dataclasses
import json
import pathlib

# Google and Hugging Face write "gelu" and mean different functions by it.
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

# Published keys of every family that describe something other than the
# layers of its model: read and dropped.
_INFORMATIVE_KEYS = frozenset(
    """_name_or_path architectures bos_token_id dtype eos_token_id
    finetuning_task gradient_checkpointing id2label label2id num_labels
    output_past pad_token_id problem_type return_dict torch_dtype
    transformers_version use_cache""".split()
)
# Published keys that change the architecture: only one value will do.
_REQUIRED_VALUES = {
    "add_cross_attention": False,
    "chunk_size_feed_forward": 0,
    "is_encoder_decoder": False,
    "output_attentions": False,
    "output_hidden_states": False,
    "tie_word_embeddings": True,
}

# The ends of the names of rates.
_RATES = "_prob", "dropout", "pdrop"


class StrictConfig:
    """Config of any family: checks, reading and writing.

    A family's config is a frozen dataclass below it, whose fields are the
    published keys that matter to its layers. These attributes say the rest:

        family: str, its name in messages.
        model_type: str, its name in published files.
        size_keys: dict from letters to the keys of its sizes: "V" word
            pieces, "P" positions, "H" width, "I" width inside the
            feed-forward layers, "L" blocks, "N" heads, which must divide the
            width; "E" the width of the tables, where a matrix maps it to "H";
            and others that its table of weights needs.
        block_letters: str, letters of the sizes that number the blocks with
            weights of their own.
        layer_period: int, the blocks from one of a kind to the next.
        published_widths: dict from widths to the names of published models.
        published_vocabularies: dict from sizes of vocabularies to them.
        is_decoder: bool, every token sees only itself and those before it.
        informative_keys: published keys that its layers do not depend on.
        required_values: dict from published keys to the one value that its
            layers are right for.
        activation_key: the key that names the activation.
        plain_gelu: what "gelu" is in a file without marks of Hugging Face.
        dropout_keys: the keys of three dropouts: of vectors, of attention
            weights and before the head of a task.
        layer_norm_eps: float, added to the variance in LayerNorm.
        google_head_size: int, width of a head where google-research writes no
            config, so that the sizes follow from shapes; None where it does.
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
    published_widths = {}
    published_vocabularies = {}
    is_decoder = False
    informative_keys = frozenset()
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

    def __post_init__(self):
        for field in dataclasses.fields(self):
            check_value(field, getattr(self, field.name))
        key = self.activation_key
        if getattr(self, key) not in _ACTIVATIONS:
            raise ValueError(
                f"`{key}` must be one of {', '.join(_ACTIVATIONS)} "
                '(published "gelu" is gelu_tanh in google-research/bert and '
                "gelu_erf in Hugging Face). Received: "
                f"{key}={getattr(self, key)!r}."
            )
        width, num_heads = self.size_keys["H"], self.size_keys["N"]
        if getattr(self, width) % getattr(self, num_heads):
            raise ValueError(
                f"`{width}` must be divisible by `{num_heads}`. "
                f"Received: {width}={getattr(self, width)}, "
                f"{num_heads}={getattr(self, num_heads)}."
            )

    @property
    def sizes(self):
        """The sizes by the letters of `size_keys`."""
        return {
            letter: getattr(self, key) for letter, key in self.size_keys.items()
        }

    @property
    def block_counts(self):
        """Numbers of blocks with weights of their own, letter by letter."""
        return tuple(self.sizes[letter] for letter in self.block_letters)

    @property
    def depth(self):
        """Number of blocks that a text goes through."""
        return self.sizes["L"]

    @property
    def dropouts(self):
        """The three dropouts of `dropout_keys`."""
        return tuple(getattr(self, key) for key in self.dropout_keys)

    @property
    def max_seq_length(self):
        """The longest sequence that there are positions for."""
        return self.sizes["P"]

    @classmethod
    def from_json(cls, path):
        """Reads a published or own config file, strictly.

        Args:
            path: a `bert_config.json` of google-research/bert, a
                `config.json` of Hugging Face or a file of `to_json`.

        Returns:
            A config of this class.

        Raises:
            ValueError: the file is no JSON object, misses `vocab_size`, has
                unknown keys or describes another architecture.
        """
        try:
            return cls.from_dict(read_json_object(path))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, values):
        """Like `from_json`, from the object that such a file holds.

        Args:
            values: dict of config values by key.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        cls._check_keys(values, names)
        own = {name: values[name] for name in names if name in values}
        activation = own.get(cls.activation_key)
        if isinstance(activation, str):
            own[cls.activation_key] = cls._own_activation(activation, values)
        return cls(**own)

    @classmethod
    def _check_keys(cls, values, names):
        informative = _INFORMATIVE_KEYS | cls.informative_keys
        required = {
            "model_type": cls.model_type,
            **_REQUIRED_VALUES,
            **cls.required_values,
        }
        for key, value in values.items():
            if key in required and value != required[key]:
                raise ValueError(
                    f"`{key}` must be {required[key]!r} for {cls.family}. "
                    f"Received: {key}={value!r}."
                )
            if not {key} & {*names, *informative, *required}:
                raise ValueError(
                    f"Unknown config key. Received: {key}={value!r}. "
                    f"Known: {', '.join(names)}."
                )
        if "vocab_size" not in values:
            raise ValueError("`vocab_size` is missing.")

    @classmethod
    def _own_activation(cls, activation, values):
        if activation == "gelu":
            hugging_face = any(mark in values for mark in _HUGGING_FACE_MARKS)
            return "gelu_erf" if hugging_face else cls.plain_gelu
        return _ACTIVATION_SYNONYMS.get(activation, activation)

    def to_dict(self):
        """The values by their published keys, as `from_dict` reads them."""
        return {"model_type": self.model_type, **dataclasses.asdict(self)}

    def to_json(self, path):
        """Write the config so that `from_json` reads it back equal.

        Args:
            path: str.
        """
        text = json.dumps(self.to_dict(), indent=2)
        pathlib.Path(path).write_text(text + "\n", encoding="utf-8")


@dataclasses.dataclass(frozen=True)
class EncoderConfig(StrictConfig):
    """Config keys that BERT shares with its relatives: see `BertConfig`."""

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
    required_values = {
        "is_decoder": False,
        "position_embedding_type": "absolute",
    }


@dataclasses.dataclass(frozen=True)
class BertConfig(EncoderConfig):
    """Sizes and rates of a BERT model.

    The keys are those of the published `bert_config.json`. The one published
    value that is ambiguous is `hidden_act: "gelu"`: google-research/bert
    computes the tanh form of it and Hugging Face the erf form. Here the two
    are `"gelu_tanh"` and `"gelu_erf"`.

    Args:
        vocab_size: int, number of pieces.
        hidden_size: int, width of the token vectors.
        num_hidden_layers: int, number of Transformer blocks.
        num_attention_heads: int, must divide `hidden_size`.
        intermediate_size: int, width inside the feed-forward layers.
        hidden_act: "gelu_tanh", "gelu_erf", "relu" or "tanh".
        hidden_dropout_prob: float, dropout after embeddings and sublayers.
        attention_probs_dropout_prob: float, dropout of attention weights.
        max_position_embeddings: int, longest sequence.
        type_vocab_size: int, number of segments.
        initializer_range: float, standard deviation of initial weights.
        layer_norm_eps: float, added to the variance in LayerNorm.
        is_decoder: bool, every token sees only itself and those before it.

    Raises:
        ValueError: a value has the wrong type, is out of range or does not
            divide.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3 and appendix A.2
    """

    is_decoder: bool = False

    family = "BERT"
    model_type = "bert"
    informative_keys = frozenset(
        """classifier_dropout directionality pooler_fc_size
        pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head
        pooler_type""".split()
    )
    required_values = {"position_embedding_type": "absolute"}
    published_widths = {
        128: "tiny",
        256: "mini",
        512: "small or medium",
        768: "base",
        1024: "large",
    }
    published_vocabularies = {
        21128: "the Chinese models",
        28996: "the cased English models",
        30522: "the uncased English models",
        105879: "the uncased multilingual models",
        119547: "the cased multilingual models",
    }


def read_json_object(path):
    """Reads a JSON file whose outermost value is an object.

    Args:
        path: str or `pathlib.Path`.

    Returns:
        A dict.

    Raises:
        ValueError: the file holds anything else.
    """
    try:
        values = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a JSON file: {error}") from None
    if not isinstance(values, dict):
        raise ValueError(
            f"must hold a JSON object. Received: {type(values).__name__}."
        )
    return values


def read_json_file(path):
    """As `read_json_object`; the ValueError names the file."""
    try:
        return read_json_object(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def check_flags(**flags):
    """Raises ValueError unless all are bool; the message names the first."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise ValueError(
                f"`{name}` must be True or False. Received: {name}={value!r}."
            )


def _least(field):
    """The least value of a whole number."""
    return field.metadata.get("least", 0 if field.name.endswith("_id") else 1)


def check_value(field, value):
    """Raises ValueError unless a value is of its dataclass field's type."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if field.type is bool and not isinstance(value, bool):
        expected = "true or false"
    elif field.type is int and not (number and isinstance(value, int)):
        expected = "an integer"
    elif field.type is float and not number:
        expected = "a number"
    elif field.type is int and value < _least(field):
        expected = f"at least {_least(field)}"
    elif field.name.endswith(_RATES) and not 0 <= value < 1:
        expected = "at least 0 and below 1"
    elif field.type is float and not 0 <= value < float("inf"):
        expected = "finite and at least 0"
    else:
        return
    raise ValueError(
        f"`{field.name}` must be {expected}. "
        f"Received: {field.name}={value!r} (of type {type(value).__name__})."
    )
