"""A SentencePiece model from text, as ALBERT's was made.

The learning itself is that of the `sentencepiece` library; what it learns from
is text as ALBERT's tokenizer normalises it.
"""

import io
import zlib

from keras_bert.data.corpus.sources import source_documents
from keras_bert.text.albert_normalizer import WORD_START
from keras_bert.text.albert_normalizer import normalize_text
from keras_bert.text.sentencepiece_model import SentencePieceModel
from keras_bert.text.sentencepiece_vocabulary import ROLES
from keras_bert.text.sentencepiece_vocabulary import SentencePieceVocabulary

_MAX_VOCAB_SIZE = 1_000_000
_UNSEEN_ONE_IN = 50
_MAX_UNSEEN = 20_000
# The options of google-research/albert, but for the sampling of sentences.
_OPTIONS = {
    "model_type": "unigram",
    "pad_id": 0,
    "unk_id": 1,
    "bos_id": -1,
    "eos_id": -1,
    "pad_piece": ROLES["pad"],
    "unk_piece": ROLES["unknown"],
    "control_symbols": [ROLES["cls"], ROLES["sep"], ROLES["mask"]],
    "user_defined_symbols": [*'()"-.–£€'],
    "character_coverage": 0.99995,
}
# Fewer pieces than asked for if the text has no more; no line is too long;
# and only errors are told of.
_LIMITS = {
    "hard_vocab_limit": False,
    "max_sentence_length": 1 << 24,
    "minloglevel": 2,
}


def learn_sentencepiece(
    sources, vocab_size, lowercase=True, bad_lines=None, num_threads=1
):
    """Learns a unigram model from text, but for a held-out fiftieth.

    The library holds all of the text in memory. The same text and numbers
    give the same model, with the same release of the library.

    Args:
        sources: list of sources, as of `open_sources`.
        vocab_size: int, most pieces, the special ones included.
        lowercase: bool, lower-case the text.
        bad_lines: `BadLines`, what is skipped; None stops at it.
        num_threads: int, threads that learn. The model depends on it.

    Returns:
        A `SentencePieceVocabulary` and the list of the sentences (bytes) held
        out.

    Raises:
        ValueError: `vocab_size` cannot hold the special tokens and the
            characters of the text, a number is out of reach, or there is no
            text.
        ModuleNotFoundError: `sentencepiece` is not installed.
    """
    least = 2 + len(_OPTIONS["control_symbols"])
    least += len(_OPTIONS["user_defined_symbols"])
    if not least < vocab_size <= _MAX_VOCAB_SIZE:
        raise ValueError(
            f"`vocab_size` must be from {least + 1}, for the special tokens, "
            f"to {_MAX_VOCAB_SIZE}. Received: vocab_size={vocab_size}."
        )
    if num_threads < 1:
        raise ValueError(
            "`num_threads` must be at least 1. Received: "
            f"num_threads={num_threads}."
        )
    unseen = []
    seen = _seen(sources, unseen, lowercase, bad_lines)
    data = _train(seen, vocab_size, num_threads, sources)
    return SentencePieceVocabulary(SentencePieceModel(data)), unseen


def _seen(sources, unseen, lowercase, bad_lines):
    """Yields what to learn from and puts the other sentences in `unseen`."""
    for document in source_documents(sources, bad_lines):
        for sentence in document:
            chosen = zlib.crc32(sentence) % _UNSEEN_ONE_IN == 0
            if chosen and len(unseen) < _MAX_UNSEEN:
                unseen.append(sentence)
            else:
                yield normalize_text(sentence.decode("utf-8"), lowercase)


def _train(sentences, vocab_size, num_threads, sources):
    try:
        import sentencepiece
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Learning a SentencePiece model needs the package sentencepiece. "
            "Try: pip install 'keras-bert-tf[vocabulary]'",
            name=error.name,
        ) from None
    first = next((s for s in sentences if s.strip()), None)
    if first is None:
        raise ValueError(
            "Input must hold text, one sentence a line. Received: no word in "
            f"{len(sources)} file(s), the first {sources[0].name!r}."
        )
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_after(first, sentences),
            model_writer=model,
            vocab_size=vocab_size,
            num_threads=num_threads,
            **_OPTIONS,
            **_LIMITS,
        )
    except RuntimeError as error:
        raise ValueError(
            "`vocab_size` must hold the special tokens and every character of "
            f"the text. Received: vocab_size={vocab_size}. The library says: "
            f"{error}"
        ) from None
    return model.getvalue()


def _after(first, others):
    yield first
    yield from others


def measure_sentencepiece(vocabulary, sentences, lowercase=True):
    """How well a vocabulary fits text.

    Args:
        vocabulary: `SentencePieceVocabulary`.
        sentences: list of bytes or str.
        lowercase: bool, as it was learned.

    Returns:
        The share of tokens that are <unk> and the mean number of pieces of a
        word (what stands between spaces), both float; NaN without text.
    """
    # Imported late: learning does without TensorFlow.
    from keras_bert.text.sentencepiece import SentencePieceTokenizer

    tokenizer = SentencePieceTokenizer(vocabulary, lowercase)
    ids = tokenizer(sentences).values.numpy()
    begins = [token.startswith(WORD_START) for token in vocabulary.tokens]
    num_words = sum(begins[index] for index in ids)
    if not num_words:
        return float("nan"), float("nan")
    unknown = sum(int(index == vocabulary.unk_id) for index in ids)
    return unknown / len(ids), len(ids) / num_words
