"""A model of any family with all that belongs to it."""

from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.hints import hint_of_vocabulary
from keras_bert.models.heads import add_heads
from keras_bert.text.wordpiece_settings import WordpieceSettings

# Tables are padded to a multiple of one of these.
_MULTIPLES = (1, 2, 4, 8, 16, 32, 64, 128)


class PretrainedModel:
    """Config, tokenizer and models that share their weights.

    Args:
        config: a config of any family.
        tokenizer: `Tokenizer` over as many pieces as `vocab_size` says, or
            fewer, where the table is padded to a multiple; or its settings,
            of which it is made when it is first asked for.
        backbone: `Backbone` of the encoder's layers.
        heads: dict of the layers of the heads, by part.
        parts: iterable of str, which of the family's optional parts, such as
            "pooler" and "masked_lm_head", there are.

    Attributes:
        family: `Family`.
        encoder: model from the family's inputs to `sequence_output` and, if
            there is a pooler, `pooled_output`.
        model: the encoder's layers with the heads that there are.
        tokenizer_settings: what was given as tokenizer; its vocabulary and
            casing are there without TensorFlow.
    """

    def __init__(self, config, tokenizer, backbone, heads, parts):
        self.family = find_family(config.model_type)
        self.config = config
        self.tokenizer_settings = tokenizer
        self.backbone = backbone
        self.parts = frozenset(parts)
        self.heads = {part: heads[part] for part in heads if part in self.parts}
        name = self.family.model_type.replace("-", "_")
        self.encoder = backbone.encoder(
            f"{name}_encoder", pools="pooler" in self.parts
        )
        self.model = self.encoder
        if self.heads:
            self.model = add_heads(backbone, self.heads, f"{name}_pretrainer")
        self._tokenizer = None

    @classmethod
    def from_config(cls, config, tokenizer, parts=None):
        """A model with fresh random weights.

        Args:
            config: a config of any family.
            tokenizer: `Tokenizer`, or the settings of one.
            parts: which optional parts it has; all of the family by default.

        Raises:
            ValueError: the vocabulary has another size than the config says,
                or the family has no such part.
        """
        check_vocabulary(config, tokenizer.vocabulary)
        family = find_family(config.model_type)
        parts = [*family.parts] if parts is None else [*parts]
        lacking = [part for part in parts if part not in family.parts]
        if lacking:
            raise ValueError(
                f"A part must be one of those of {family.name}: "
                f"{', '.join(family.parts)}. Received: {', '.join(lacking)}."
            )
        backbone = family.backbone(config)
        heads = family.heads(config, backbone.embeddings)
        return cls(config, tokenizer, backbone, heads, parts)

    def with_parts(self, parts):
        """A model of the same weights, but for the optional parts left out.

        Args:
            parts: iterable of str, some of `self.parts`.
        """
        self.check_parts(*parts)
        told = self.tokenizer_settings
        cls = type(self)
        return cls(self.config, told, self.backbone, self.heads, parts)

    @property
    def tokenizer(self):
        """The `Tokenizer`.

        Raises:
            ModuleNotFoundError: it needs TensorFlow, which is not there.
        """
        if self._tokenizer is None:
            told = self.tokenizer_settings
            is_made = not isinstance(told, WordpieceSettings)
            self._tokenizer = told if is_made else told.tokenizer()
        return self._tokenizer

    @property
    def weights(self):
        """A dict of all weights by their paths, whichever model has them.

        Without a next-sentence head the pooler is the encoder's only.
        """
        models = (self.encoder, self.model)
        return {w.path: w for model in models for w in model.weights}

    @property
    def pretrainer(self):
        """The model with the pre-training heads.

        Raises:
            ValueError: there is no masked-LM head.
        """
        self.check_parts("masked_lm_head")
        return self.model

    def check_parts(self, *wanted):
        """Raises ValueError unless all the named parts are there."""
        lacking = [part for part in wanted if part not in self.parts]
        if lacking:
            raise ValueError(
                f"This {self.family.name} has no {' and no '.join(lacking)}: "
                "the checkpoint holds none. To start with random weights "
                f"there, read it with `allow_missing={lacking}`."
            )

    def sequence_length(self, seq_length=None):
        """A length that the model can take, its limit by default.

        Raises:
            ValueError: `seq_length` is below 1 or longer than the limit.
        """
        limit = self.config.sizes["P"]
        if seq_length is None:
            return limit
        if not 1 <= seq_length <= limit:
            key = self.config.size_keys["P"]
            raise ValueError(
                f"`seq_length` must be from 1 to `{key}`. "
                f"Received: seq_length={seq_length}, {key}={limit}."
            )
        return seq_length


def check_vocabulary(config, vocabulary):
    """Raises ValueError unless config and vocabulary have the same size.

    A table that is padded to a multiple of a power of two, up to 128, has
    the vocabulary's size too.
    """
    rows, lines = config.vocab_size, len(vocabulary)
    if rows not in [-(-lines // m) * m for m in _MULTIPLES]:
        raise ValueError(
            "`vocab_size` of the config must be the number of lines of the "
            f"vocabulary. Received: vocab_size={rows}, {lines} lines. "
            f"{hint_of_vocabulary(rows, lines)}".rstrip()
        )
