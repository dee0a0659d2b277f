"""A BERT with all that belongs to it."""

import dataclasses

import keras

from keras_bert.checkpoints.hints import hint_of_vocabulary
from keras_bert.checkpoints.weight_map import OPTIONAL_PARTS
from keras_bert.config import BertConfig
from keras_bert.models.backbone import Backbone
from keras_bert.models.bert import bert_backbone
from keras_bert.models.bert import bert_heads
from keras_bert.models.heads import add_heads
from keras_bert.text.tokenizer import BertTokenizer

# Tables are padded to a multiple of one of these.
_MULTIPLES = (1, 2, 4, 8, 16, 32, 64, 128)


@dataclasses.dataclass(frozen=True)
class Bert:
    """Config, tokenizer and models that share their weights.

    Args:
        config: `BertConfig`.
        tokenizer: `BertTokenizer` over as many pieces as `vocab_size` says;
            or fewer, where the table is padded to a multiple.
        backbone: `Backbone` of the encoder's layers.
        heads: dict of the layers of the heads that there are, by part.
        encoder: model of `bert_encoder`; without `pooled_output` if there is
            no pooler.
        model: the encoder's layers with the heads that there are: the model
            with all the weights.
        parts: frozenset of str, which of "pooler", "masked_lm_head" and
            "nsp_head" there are.
    """

    config: BertConfig
    tokenizer: BertTokenizer
    backbone: Backbone
    heads: dict
    encoder: keras.Model
    model: keras.Model
    parts: frozenset

    @classmethod
    def from_config(cls, config, tokenizer, parts=OPTIONAL_PARTS):
        """A BERT with fresh random weights.

        Args:
            config: `BertConfig`.
            tokenizer: `BertTokenizer`.
            parts: which optional parts it has.

        Raises:
            ValueError: the vocabulary has another size than the config says.
        """
        check_vocabulary(config, tokenizer.vocabulary)
        backbone = bert_backbone(config)
        heads = bert_heads(config, backbone.embeddings)
        return cls._of_layers(config, tokenizer, backbone, heads, parts)

    @classmethod
    def _of_layers(cls, config, tokenizer, backbone, heads, parts):
        heads = {part: head for part, head in heads.items() if part in parts}
        encoder = backbone.encoder("bert_encoder", pools="pooler" in parts)
        model = encoder
        if heads:
            model = add_heads(backbone, heads, "bert_pretrainer")
        return cls(
            config,
            tokenizer,
            backbone,
            heads,
            encoder,
            model,
            frozenset(parts),
        )

    def with_parts(self, parts):
        """A BERT of the same weights, but for the optional parts left out.

        Args:
            parts: iterable of str, some of `self.parts`.
        """
        self.check_parts(*parts)
        return self._of_layers(
            self.config, self.tokenizer, self.backbone, self.heads, parts
        )

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
                f"This BERT has no {' and no '.join(lacking)}: the checkpoint "
                "holds none. To start with random weights there, read it with "
                f"`allow_missing={lacking}`."
            )

    def sequence_length(self, seq_length=None):
        """A length that the model can take, its limit by default.

        Raises:
            ValueError: `seq_length` is below 1 or longer than the limit.
        """
        limit = self.config.max_position_embeddings
        if seq_length is None:
            return limit
        if not 1 <= seq_length <= limit:
            raise ValueError(
                f"`seq_length` must be from 1 to `max_position_embeddings`. "
                f"Received: seq_length={seq_length}, "
                f"max_position_embeddings={limit}."
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
