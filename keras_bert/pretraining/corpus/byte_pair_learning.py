"""A byte-level BPE from text, by the `tokenizers` library."""

import json

from keras_bert import checks
from keras_bert.pretraining.corpus.learning import MAX_FREQUENCY
from keras_bert.pretraining.corpus.learning import MAX_VOCAB_SIZE
from keras_bert.pretraining.corpus.learning import from_first_word
from keras_bert.pretraining.corpus.learning import import_learner
from keras_bert.pretraining.corpus.learning import seen_sentences
from keras_bert.text.byte_pair.settings import BytePairSettings
from keras_bert.text.byte_pair.vocabulary import MASK
from keras_bert.text.byte_pair.vocabulary import SPECIAL_TOKENS
from keras_bert.text.byte_pair.vocabulary import BytePairVocabulary
from keras_bert.text.byte_pair.vocabulary import byte_characters

# The ids from 0 on, as RoBERTa's; <mask> has the last one.
_HEAD = ("<s>", "<pad>", "</s>", "<unk>")


def learn_byte_pair(sources, vocab_size, min_frequency=2, bad_lines=None):
    """Learn a byte-level BPE from text, except a held-out fiftieth.

    It keeps case. <s> <pad> </s> <unk> have the ids 0 to 3, <mask> has the
    last one.

    Args:
        sources: list of sources, as returned by `open_sources`.
        vocab_size: int, most tokens, the special ones and those of the 256
            bytes included.
        min_frequency: int, how often a pair must occur to be merged.
        bad_lines: `BadLines`, what is skipped; None stops at it.

    Returns:
        `BytePairSettings` and the list of the sentences (bytes) held out.

    Raises:
        ValueError: a number is out of reach, or there is no text.
        ModuleNotFoundError: `tokenizers` is not installed.
    """
    least = len(SPECIAL_TOKENS) + len(byte_characters())
    checks.between(least, MAX_VOCAB_SIZE, vocab_size=vocab_size)
    checks.between(1, MAX_FREQUENCY, min_frequency=min_frequency)
    unseen = []
    merges = _train(
        from_first_word(seen_sentences(sources, unseen, bad_lines), sources),
        vocab_size - len(SPECIAL_TOKENS),
        min_frequency,
    )
    made = ("".join(merge) for merge in merges)
    tokens = [*_HEAD, *sorted(byte_characters()), *made, MASK]
    return BytePairSettings(BytePairVocabulary(tokens), merges), unseen


def _train(sentences, vocab_size, min_frequency):
    """The merges in the order of their ranks."""
    tokenizers = import_learner("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(
        add_prefix_space=False
    )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        initial_alphabet=sorted(byte_characters()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    return json.loads(tokenizer.to_str())["model"]["merges"]
