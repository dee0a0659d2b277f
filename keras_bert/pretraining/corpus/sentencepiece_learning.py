"""Training of SentencePiece models with ALBERT's options.

The `sentencepiece` library trains the model. The text is first normalized like
the input of ALBERT's tokenizer.
"""

import io

from keras_bert import checks
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.corpus.learning import MAX_VOCAB_SIZE
from keras_bert.pretraining.corpus.learning import import_learner
from keras_bert.pretraining.corpus.learning import require_text
from keras_bert.pretraining.corpus.learning import training_sentences
from keras_bert.text.normalization.normalizers import normalize_text
from keras_bert.text.sentencepiece.conventions import DEFAULT
from keras_bert.text.sentencepiece.model import SentencePieceModel
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary

_ROLES = DEFAULT.roles
# The options of google-research/albert, except the sampling of sentences.
_OPTIONS = {
    "model_type": "unigram",
    "pad_id": 0,
    "unk_id": 1,
    "bos_id": -1,
    "eos_id": -1,
    "pad_piece": _ROLES["pad"],
    "unk_piece": _ROLES["unknown"],
    "control_symbols": [_ROLES["cls"], _ROLES["sep"], _ROLES["mask"]],
    "user_defined_symbols": [*'()"-.–£€'],
    "character_coverage": 0.99995,
    # A small text may give fewer pieces than `vocab_size`. Line lengths are not
    # limited. Only errors are logged.
    "hard_vocab_limit": False,
    "max_sentence_length": 1 << 24,
    "minloglevel": 2,
}


def learn_sentencepiece(
    sources: list,
    vocab_size: int,
    lowercase: bool = True,
    bad_lines: BadLines | None = None,
) -> tuple[SentencePieceSettings, list[bytes]]:
    """Train a unigram model and hold out one sentence in 50.

    The library keeps the whole text in memory. Training is deterministic for a
    given release of the library.

    Args:
        sources: sources, as returned by `open_sources`.
        vocab_size: maximum size of the vocabulary, including the special
            tokens.
        lowercase: whether to lower-case texts.
        bad_lines: `BadLines` that counts the invalid lines, which are skipped.
            If None, an invalid line raises an error.

    Returns:
        The settings of the tokenizer and the held-out sentences.

    Raises:
        ValueError: `vocab_size` is out of range or too small for the special
            tokens and the characters of the text, or the text is empty.
        ModuleNotFoundError: `sentencepiece` is not installed.
    """
    least = 2 + len(_OPTIONS["control_symbols"])
    least += len(_OPTIONS["user_defined_symbols"])
    checks.between(least + 1, MAX_VOCAB_SIZE, vocab_size=vocab_size)
    held_out = []
    seen = (
        normalize_text(sentence, lowercase)
        for sentence in training_sentences(sources, held_out, bad_lines)
    )
    data = _train(seen, vocab_size, sources)
    vocabulary = SentencePieceVocabulary(SentencePieceModel(data))
    return SentencePieceSettings(vocabulary, lowercase), held_out


def _train(sentences, vocab_size, sources):
    sentencepiece = import_learner("sentencepiece")
    sentences = require_text(sentences, sources)
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=sentences,
            model_writer=model,
            vocab_size=vocab_size,
            num_threads=1,  # The model depends on this number.
            **_OPTIONS,
        )
    except RuntimeError as error:
        raise ValueError(
            "`vocab_size` must be large enough for the special tokens and all "
            f"characters of the text. Received: vocab_size={vocab_size}. Error "
            f"of sentencepiece: {error}"
        ) from None
    return model.getvalue()
