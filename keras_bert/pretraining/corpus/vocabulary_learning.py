"""A WordPiece vocabulary from text.

The learning itself is that of the `tokenizers` library; what it learns from
is text as BERT's tokenizer normalises and splits it.
"""

from keras_bert import checks
from keras_bert.arguments import name_rest
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.corpus.learning import MAX_FREQUENCY
from keras_bert.pretraining.corpus.learning import MAX_VOCAB_SIZE
from keras_bert.pretraining.corpus.learning import from_first_word
from keras_bert.pretraining.corpus.learning import import_learner
from keras_bert.pretraining.corpus.learning import measure_tokenizer
from keras_bert.pretraining.corpus.learning import seen_sentences
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import CLS
from keras_bert.text.wordpiece.vocabulary import MASK
from keras_bert.text.wordpiece.vocabulary import PAD
from keras_bert.text.wordpiece.vocabulary import SEP
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.text.wordpiece.vocabulary import UNKNOWN
from keras_bert.text.wordpiece.vocabulary import Vocabulary

# [UNK] [CLS] [SEP] [MASK] have had the ids 100 to 103 since the first release.
_PUBLISHED_HEAD = (
    PAD,
    *(f"[unused{index}]" for index in range(99)),
    UNKNOWN,
    CLS,
    SEP,
    MASK,
)


def learn_vocabulary(
    sources,
    vocab_size,
    lowercase=True,
    min_frequency=2,
    compact_ids=False,
    bad_lines=None,
):
    """Learn word pieces from text, except a held-out fiftieth.

    Args:
        sources: list of sources, as returned by `open_sources`.
        vocab_size: int, most word pieces, the special ones included.
        lowercase: bool, lower-case the text and strip its accents.
        min_frequency: int, how often a piece must occur.
        compact_ids: bool, special tokens at the ids 0 to 4 instead of at the
            published 0 and 100 to 103.
        bad_lines: `BadLines`, what is skipped; None stops at it.

    Returns:
        A `Vocabulary` and the list of the sentences (bytes) held out.

    Raises:
        ValueError: `vocab_size` cannot hold the special tokens and the
            characters of the text, a number is out of reach, or there is no
            text.
        ModuleNotFoundError: `tokenizers` is not installed.
    """
    checks.between(len(SPECIAL_TOKENS), MAX_VOCAB_SIZE, vocab_size=vocab_size)
    checks.between(1, MAX_FREQUENCY, min_frequency=min_frequency)
    head = SPECIAL_TOKENS if compact_ids else _PUBLISHED_HEAD
    # The library numbers the pieces of one character in an order that changes
    # from run to run, and equal counts are settled by number. So they are
    # found first and then given in a fixed order.
    sentences = seen_sentences(sources, [], bad_lines)
    sentences = from_first_word(sentences, sources)
    alphabet = _train(sentences, len(head), head, lowercase, 0)
    if len(alphabet) > vocab_size:
        raise ValueError(
            "`vocab_size` must hold the special tokens and every character "
            f"of the text, {len(alphabet)} pieces. Received: "
            f"vocab_size={vocab_size}."
        )
    unseen = []
    fixed = [*head, *sorted(set(alphabet) - set(head))]
    # What was skipped is counted already.
    sentences = seen_sentences(sources, unseen, bad_lines and BadLines())
    tokens = _train(sentences, vocab_size, fixed, lowercase, min_frequency)
    return Vocabulary(tokens), unseen


@name_rest(learn_vocabulary)
def learn_wordpiece(sources, vocab_size, lowercase=True, **options):
    """Learn the settings of a WordPiece tokenizer by `learn_vocabulary`.

    Args:
        sources: list of sources, as returned by `open_sources`.
        vocab_size: int, most word pieces, the special ones included.
        lowercase: bool, lower-case the text and strip its accents.
        **options: other arguments of `learn_vocabulary`.

    Returns:
        `WordpieceSettings` and the list of the sentences (bytes) held out.
    """
    vocabulary, unseen = learn_vocabulary(
        sources, vocab_size, lowercase, **options
    )
    return WordpieceSettings(vocabulary, lowercase), unseen


def _train(sentences, vocab_size, fixed, lowercase, min_frequency):
    """Word pieces in the order of their ids, the fixed ones first."""
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


def measure_vocabulary(vocabulary, sentences, lowercase=True):
    """Measure how well a vocabulary fits text.

    Args:
        vocabulary: `Vocabulary`.
        sentences: list of bytes or str.
        lowercase: bool, as it was learned.

    Returns:
        The share of tokens that are [UNK] and the mean number of pieces of a
        word (a run of letters, or a punctuation mark), both float; NaN
        without text.
    """
    # Imported late: learning does without TensorFlow.
    from keras_bert.text.wordpiece.tokenizer import BertTokenizer

    return measure_tokenizer(BertTokenizer(vocabulary, lowercase), sentences)
