"""Training of WordPiece vocabularies.

The `tokenizers` library trains the vocabulary, on text that is normalized and
split as by BERT's tokenizer.
"""

from keras_bert import checks
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.corpus.learning import MAX_FREQUENCY
from keras_bert.pretraining.corpus.learning import MAX_VOCAB_SIZE
from keras_bert.pretraining.corpus.learning import import_learner
from keras_bert.pretraining.corpus.learning import measure_tokenizer
from keras_bert.pretraining.corpus.learning import require_text
from keras_bert.pretraining.corpus.learning import training_sentences
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import CLS
from keras_bert.text.wordpiece.vocabulary import MASK
from keras_bert.text.wordpiece.vocabulary import PAD
from keras_bert.text.wordpiece.vocabulary import SEP
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.text.wordpiece.vocabulary import UNKNOWN
from keras_bert.text.wordpiece.vocabulary import Vocabulary

# Published vocabularies have [UNK] [CLS] [SEP] [MASK] at the ids 100 to 103.
_UNUSED = [f"[unused{index}]" for index in range(99)]
_PUBLISHED_HEAD = (PAD, *_UNUSED, UNKNOWN, CLS, SEP, MASK)


def learn_vocabulary(
    sources: list,
    vocab_size: int,
    lowercase: bool = True,
    min_frequency: int = 2,
    compact_ids: bool = False,
    bad_lines: BadLines | None = None,
) -> tuple[Vocabulary, list[bytes]]:
    """Train a WordPiece vocabulary and hold out one sentence in 50.

    Args:
        sources: sources, as returned by `open_sources`.
        vocab_size: maximum size of the vocabulary, including the special
            tokens.
        lowercase: whether to lower-case texts and strip accents.
        min_frequency: minimum number of occurrences of a piece.
        compact_ids: whether to assign the ids 0 to 4 to the special tokens,
            instead of the published ids 0 and 100 to 103.
        bad_lines: `BadLines` that counts the invalid lines, which are skipped.
            If None, an invalid line raises an error.

    Returns:
        The vocabulary and the held-out sentences.

    Raises:
        ValueError: an argument is out of range, `vocab_size` is too small for
            the special tokens and the characters of the text, or the text is
            empty.
        ModuleNotFoundError: `tokenizers` is not installed.
    """
    checks.between(len(SPECIAL_TOKENS), MAX_VOCAB_SIZE, vocab_size=vocab_size)
    checks.between(1, MAX_FREQUENCY, min_frequency=min_frequency)
    head = SPECIAL_TOKENS if compact_ids else _PUBLISHED_HEAD
    # `tokenizers` gives single characters ids in a random order, and uses the
    # ids to break ties between pieces. So find the characters first and pass
    # them in a fixed order.
    sentences = training_sentences(sources, [], bad_lines)
    sentences = require_text(sentences, sources)
    alphabet = _train(sentences, len(head), head, lowercase, 0)
    if len(alphabet) > vocab_size:
        raise ValueError(
            "`vocab_size` must be large enough for the special tokens and all "
            f"characters of the text, {len(alphabet)} pieces. Received: "
            f"vocab_size={vocab_size}."
        )
    held_out = []
    fixed = [*head, *sorted(set(alphabet) - set(head))]
    # The first pass has already counted the skipped lines.
    sentences = training_sentences(sources, held_out, bad_lines and BadLines())
    tokens = _train(sentences, vocab_size, fixed, lowercase, min_frequency)
    return Vocabulary(tokens), held_out


def learn_wordpiece(
    sources: list,
    vocab_size: int,
    lowercase: bool = True,
    min_frequency: int = 2,
    compact_ids: bool = False,
    bad_lines: BadLines | None = None,
) -> tuple[WordpieceSettings, list[bytes]]:
    """Train a WordPiece tokenizer.

    Args:
        sources, vocab_size, lowercase, min_frequency, compact_ids, bad_lines:
            arguments of `learn_vocabulary`.

    Returns:
        The settings of the tokenizer and the held-out sentences.

    Raises:
        ValueError: the same errors as `learn_vocabulary`.
    """
    vocabulary, held_out = learn_vocabulary(
        sources,
        vocab_size,
        lowercase=lowercase,
        min_frequency=min_frequency,
        compact_ids=compact_ids,
        bad_lines=bad_lines,
    )
    return WordpieceSettings(vocabulary, lowercase), held_out


def _train(sentences, vocab_size, fixed, lowercase, min_frequency):
    """Return the word pieces sorted by id, starting with the fixed pieces."""
    tokenizers = import_learner("tokenizers")
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(unk_token=UNKNOWN)
    )
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(
        lowercase=lowercase
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(fixed),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    learned = tokenizer.get_vocab(with_added_tokens=True)
    return sorted(learned, key=learned.get)


def measure_vocabulary(
    vocabulary: Vocabulary, sentences: list, lowercase: bool = True
) -> tuple[float, float]:
    """Measure how well a vocabulary suits a text.

    Args:
        vocabulary: the vocabulary.
        sentences: list of bytes or str.
        lowercase: as in `learn_vocabulary`.

    Returns:
        The fraction of [UNK] tokens and the mean number of pieces per word.
        Both are NaN if there is no text. Punctuation marks count as words.
    """
    # Import late, because training does not need TensorFlow.
    from keras_bert.text.wordpiece.tokenizer import BertTokenizer

    return measure_tokenizer(BertTokenizer(vocabulary, lowercase), sentences)
