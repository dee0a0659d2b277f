"""Training of byte-level BPE tokenizers with the `tokenizers` library."""

import json

from keras_bert import checks
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.corpus.learning import MAX_FREQUENCY
from keras_bert.pretraining.corpus.learning import MAX_VOCAB_SIZE
from keras_bert.pretraining.corpus.learning import import_learner
from keras_bert.pretraining.corpus.learning import require_text
from keras_bert.pretraining.corpus.learning import training_sentences
from keras_bert.text.bpe.byte_settings import BytePairSettings
from keras_bert.text.bpe.byte_vocabulary import MASK
from keras_bert.text.bpe.byte_vocabulary import SPECIAL_TOKENS
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import byte_characters

# Tokens with the ids 0 to 3, as in RoBERTa. <mask> has the last id.
_HEAD = ("<s>", "<pad>", "</s>", "<unk>")


def learn_byte_pair(
    sources: list,
    vocab_size: int,
    min_frequency: int = 2,
    bad_lines: BadLines | None = None,
) -> tuple[BytePairSettings, list[bytes]]:
    """Train a byte-level BPE tokenizer and hold out one sentence in 50.

    The tokenizer is cased. <s>, <pad>, </s> and <unk> have the ids 0 to 3,
    <mask> has the last id.

    Args:
        sources: sources, as returned by `open_sources`.
        vocab_size: maximum size of the vocabulary, including the special
            tokens and the 256 bytes.
        min_frequency: minimum number of occurrences of a pair to merge.
        bad_lines: `BadLines` that counts the invalid lines, which are skipped.
            If None, an invalid line raises an error.

    Returns:
        The settings of the tokenizer and the held-out sentences.

    Raises:
        ValueError: an argument is out of range, or the text is empty.
        ModuleNotFoundError: `tokenizers` is not installed.
    """
    least = len(SPECIAL_TOKENS) + len(byte_characters())
    checks.between(least, MAX_VOCAB_SIZE, vocab_size=vocab_size)
    checks.between(1, MAX_FREQUENCY, min_frequency=min_frequency)
    held_out = []
    merges = _train(
        require_text(training_sentences(sources, held_out, bad_lines), sources),
        vocab_size - len(SPECIAL_TOKENS),
        min_frequency,
    )
    made = ("".join(merge) for merge in merges)
    tokens = [*_HEAD, *sorted(byte_characters()), *made, MASK]
    return BytePairSettings(BytePairVocabulary(tokens), merges), held_out


def _train(sentences, vocab_size, min_frequency):
    """Return the merges, sorted by rank."""
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
