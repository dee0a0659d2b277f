"""A BERT with all that belongs to it."""

import dataclasses

import keras

from keras_bert.config import BertConfig
from keras_bert.models.encoder import bert_encoder
from keras_bert.models.pretrainer import add_pretraining_heads
from keras_bert.text.tokenizer import BertTokenizer


@dataclasses.dataclass(frozen=True)
class Bert:
    """Config, tokenizer and models that share their weights.

    Args:
        config: `BertConfig`.
        tokenizer: `BertTokenizer` over as many pieces as `vocab_size` says.
        encoder: model of `bert_encoder`.
        pretrainer: the encoder's layers with the pre-training heads.
    """

    config: BertConfig
    tokenizer: BertTokenizer
    encoder: keras.Model
    pretrainer: keras.Model

    @classmethod
    def from_config(cls, config, tokenizer):
        """A BERT with fresh random weights.

        Args:
            config: `BertConfig`.
            tokenizer: `BertTokenizer`.

        Raises:
            ValueError: the vocabulary has another size than the config says.
        """
        check_vocabulary(config, tokenizer.vocabulary)
        encoder = bert_encoder(config)
        return cls(
            config, tokenizer, encoder, add_pretraining_heads(encoder, config)
        )

    def sequence_length(self, seq_length=None):
        """A length that the model can take, its limit by default.

        Raises:
            ValueError: `seq_length` is longer than the limit.
        """
        limit = self.config.max_position_embeddings
        if seq_length is not None and seq_length > limit:
            raise ValueError(
                f"`seq_length` must be at most `max_position_embeddings`. "
                f"Received: seq_length={seq_length}, "
                f"max_position_embeddings={limit}."
            )
        return seq_length or limit


def check_vocabulary(config, vocabulary):
    """Raises ValueError unless config and vocabulary have the same size."""
    if config.vocab_size != len(vocabulary):
        raise ValueError(
            "`vocab_size` of the config must be the number of lines of the "
            f"vocabulary. Received: vocab_size={config.vocab_size}, "
            f"{len(vocabulary)} lines."
        )
