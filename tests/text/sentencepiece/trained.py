"""Small models, trained by the sentencepiece library."""

import io

import sentencepiece

LINES = """The quick brown fox doesn't jump over the lazy dogs, we'll say so.
There they're running through 1990's streets of 3,141 houses; I've seen it.
In 1900, 10 of 3,141 houses (and 9, or 19,) burned; "I've seen it". Café!
Über den Wolken schöner Straßen fährt die Straßenbahn (nach Köln): 1, 2, 3.
Съешь ещё этих мягких французских булок, да выпей же чаю, чаю, чаю.
中文的文字和日本語のテキスト、日本語のテキスト。
café cafés résumé [] <> ' A MASK CLSEP _ pad unk sep cls mask""".splitlines()
# Options of the trainer by tokenizer class of transformers.
OPTIONS = {
    "DebertaV2Tokenizer": {
        "pad_id": 0,
        "bos_id": 1,
        "eos_id": 2,
        "unk_id": 3,
        "pad_piece": "[PAD]",
        "bos_piece": "[CLS]",
        "eos_piece": "[SEP]",
        "unk_piece": "[UNK]",
    },
    "XLMRobertaTokenizer": {},
    "XLNetTokenizer": {
        "control_symbols": ["<cls>", "<sep>", "<pad>", "<mask>", "<eod>"],
        "user_defined_symbols": ["<eop>", "(", ")", "."],
    },
    "AlbertTokenizer": {
        "pad_id": 0,
        "unk_id": 1,
        "bos_id": -1,
        "eos_id": -1,
        "control_symbols": ["[CLS]", "[SEP]", "[MASK]"],
        "user_defined_symbols": ["(", ")", "."],
    },
}


def train(name, lines=LINES, vocab_size=180, **more):
    """Return the bytes of a model for a tokenizer class."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(3 * lines),
        model_writer=model,
        vocab_size=vocab_size,
        hard_vocab_limit=False,
        minloglevel=2,
        **OPTIONS[name],
        **more,
    )
    return model.getvalue()
