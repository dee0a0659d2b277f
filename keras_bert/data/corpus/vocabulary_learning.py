"""A WordPiece vocabulary from text.

The learning itself is that of the `tokenizers` library; what it learns from
is text as BERT's tokenizer normalises and splits it.
"""

import zlib

import numpy as np

from keras_bert.data.corpus.bad_lines import BadLines
from keras_bert.data.corpus.sources import source_documents
from keras_bert.text.vocabulary import CLS
from keras_bert.text.vocabulary import MASK
from keras_bert.text.vocabulary import PAD
from keras_bert.text.vocabulary import SEP
from keras_bert.text.vocabulary import SPECIAL_TOKENS
from keras_bert.text.vocabulary import UNKNOWN
from keras_bert.text.vocabulary import Vocabulary

# [UNK] [CLS] [SEP] [MASK] have had the ids 100 to 103 since the first release.
_PUBLISHED_HEAD = (
    PAD,
    *(f"[unused{index}]" for index in range(99)),
    UNKNOWN,
    CLS,
    SEP,
    MASK,
)
_UNSEEN_ONE_IN = 50
_MAX_UNSEEN = 20_000
_MAX_VOCAB_SIZE = 1_000_000
_MAX_FREQUENCY = 1_000_000_000


def learn_vocabulary(
    sources,
    vocab_size,
    lowercase=True,
    min_frequency=2,
    compact_ids=False,
    bad_lines=None,
):
    """Learns word pieces from text, but for a held-out fiftieth.

    Args:
        sources: list of sources, as of `open_sources`.
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
    _check_numbers(vocab_size, min_frequency)
    head = SPECIAL_TOKENS if compact_ids else _PUBLISHED_HEAD
    # The library numbers the pieces of one character in an order that changes
    # from run to run, and equal counts are settled by number. So they are
    # found first and then given in a fixed order.
    sentences = _seen(sources, [], bad_lines)
    alphabet = _train(sentences, len(head), head, lowercase, 0)
    if len(alphabet) == len(head):
        raise ValueError(
            "Input must hold text, one sentence a line. Received: no word in "
            f"{len(sources)} file(s), the first {sources[0].name!r}."
        )
    if len(alphabet) > vocab_size:
        raise ValueError(
            "`vocab_size` must hold the special tokens and every character "
            f"of the text, {len(alphabet)} pieces. Received: "
            f"vocab_size={vocab_size}."
        )
    unseen = []
    fixed = [*head, *sorted(set(alphabet) - set(head))]
    # What was skipped is counted already.
    sentences = _seen(sources, unseen, bad_lines and BadLines())
    tokens = _train(sentences, vocab_size, fixed, lowercase, min_frequency)
    return Vocabulary(tokens), unseen


def _check_numbers(vocab_size, min_frequency):
    if not len(SPECIAL_TOKENS) <= vocab_size <= _MAX_VOCAB_SIZE:
        raise ValueError(
            f"`vocab_size` must be from {len(SPECIAL_TOKENS)}, for the special "
            f"tokens, to {_MAX_VOCAB_SIZE}, for memory is taken for all at "
            f"once. Received: vocab_size={vocab_size}."
        )
    if not 1 <= min_frequency <= _MAX_FREQUENCY:
        raise ValueError(
            f"`min_frequency` must be from 1 to {_MAX_FREQUENCY}. Received: "
            f"min_frequency={min_frequency}."
        )


def _train(sentences, vocab_size, fixed, lowercase, min_frequency):
    """Word pieces in the order of their ids, the fixed ones first."""
    try:
        import tokenizers
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Learning a vocabulary needs the package tokenizers. Try: "
            "pip install 'keras-bert-tf[vocabulary]'",
            name=error.name,
        ) from None
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


def _seen(sources, unseen, bad_lines):
    """Yields the sentences to learn from and puts the others in `unseen`."""
    for document in source_documents(sources, bad_lines):
        for sentence in document:
            chosen = zlib.crc32(sentence) % _UNSEEN_ONE_IN == 0
            if chosen and len(unseen) < _MAX_UNSEEN:
                unseen.append(sentence)
            else:
                yield sentence.decode("utf-8")


def measure_vocabulary(vocabulary, sentences, lowercase=True):
    """How well a vocabulary fits text.

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
    from keras_bert.text.wordpiece import BertTokenizer

    tokens = BertTokenizer(vocabulary, lowercase)(sentences).values.numpy()
    continues = np.array([t.startswith("##") for t in vocabulary.tokens])
    num_words = len(tokens) - np.count_nonzero(continues[tokens])
    if not num_words:
        return float("nan"), float("nan")
    unknown = np.mean(tokens == vocabulary.id_of(UNKNOWN))
    return float(unknown), len(tokens) / num_words
