"""A tokenizer as a file that the package `tokenizers` reads."""

from keras_bert import artifacts
from keras_bert.template import FIRST
from keras_bert.template import SECOND
from keras_bert.text.base_vocabulary import added_tokens_json
from keras_bert.text.base_vocabulary import special_tokens
from keras_bert.text.bpe.settings import tokenizer_json_parts
from keras_bert.text.byte_pair import files
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import USER_DEFINED
from keras_bert.text.sentencepiece.tokenizer_json import to_tokenizer_json

_PARTS = ("normalizer", "pre_tokenizer", "decoder", "model")
_CUT_AT = {"head": "Right", "tail": "Left"}


def write_tokenizer_json(preprocess, path):
    """Write a `tokenizer.json`, which cuts texts as a preprocessor does.

    It pads to the longest text of a batch. It cuts longer texts, except for the
    truncation "head_tail", which that package does not have. It finds special
    tokens that are written in a text if the tokenizer does, which must be one
    of `JSON_KINDS`.
    """
    template, tokenizer = preprocess.template, preprocess.tokenizer
    name = _spelling(tokenizer.settings)
    values = {
        "version": "1.0",
        "truncation": _truncation(preprocess),
        "padding": _padding(template, tokenizer.vocabulary, name),
        "post_processor": _layouts(template, tokenizer.vocabulary, name),
        **JSON_KINDS[tokenizer.kind](tokenizer.settings),
    }
    artifacts.write_json(path, values, 1, False)


def _wordpiece(settings):
    tokens = special_tokens(settings.vocabulary.roles, mask_takes_space=False)
    return {
        "added_tokens": _found(settings, [*tokens, *settings.added_tokens]),
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": settings.strip_accents,
            "lowercase": settings.lowercase,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": settings.vocabulary.roles["unknown"],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": settings.max_chars_per_word,
            "vocab": {t: n for n, t in enumerate(settings.vocabulary.tokens)},
        },
    }


def _byte_bpe(settings):
    whole = files.to_tokenizer_json(settings)
    found = _found(settings, settings.added_tokens)
    return {**{name: whole[name] for name in _PARTS}, "added_tokens": found}


def _bpe(settings):
    vocabulary = settings.vocabulary
    found = _found(settings, special_tokens(vocabulary.roles))
    parts = tokenizer_json_parts(
        vocabulary.tokens, settings.merges, vocabulary.roles["unknown"]
    )
    return {**parts, "added_tokens": found}


def _sentencepiece(settings):
    whole = to_tokenizer_json(
        settings.vocabulary, settings.lowercase, settings.normalizer
    )
    vocabulary, name = settings.vocabulary, _spelling(settings)
    hidden = {*vocabulary.tokens} - {
        piece.text
        for piece in vocabulary.model.pieces
        if piece.kind in (NORMAL, USER_DEFINED)
    }
    hidden |= {*vocabulary.roles.values()}
    whole["model"]["vocab"] = [
        [name(token) if token in hidden else token, score]
        for token, score in whole["model"]["vocab"]
    ]
    found = _found(settings, special_tokens(vocabulary.roles))
    return {**{part: whole[part] for part in _PARTS}, "added_tokens": found}


def _spelling(settings):
    """Return the function from special tokens to their names in the file.

    A Unigram model finds any piece of its vocabulary in a text. Its texts have
    no spaces, so a space before the name hides a special token.
    """
    is_unigram = settings.kind == "sentencepiece"
    is_hidden = is_unigram and not settings.special_tokens_in_text
    return " {}".format if is_hidden else str


# By the kind of the tokenizer, the parts of the file that cut texts.
JSON_KINDS = {
    "wordpiece": _wordpiece,
    "bpe": _bpe,
    "byte_bpe": _byte_bpe,
    "sentencepiece": _sentencepiece,
}


def _found(settings, tokens):
    """Makes the entries of the added tokens that are found in texts."""
    is_any = settings.special_tokens_in_text
    tokens = [token for token in tokens if is_any or not token.is_special]
    return added_tokens_json(settings.vocabulary, tokens)


def _truncation(preprocess):
    if preprocess.truncation not in _CUT_AT:
        return None
    return {
        "direction": _CUT_AT[preprocess.truncation],
        "max_length": preprocess.seq_length,
        "strategy": "LongestFirst",
        "stride": 0,
    }


def _padding(template, vocabulary, name):
    return {
        "strategy": "BatchLongest",
        "direction": template.padding_side.capitalize(),
        "pad_to_multiple_of": None,
        "pad_id": vocabulary.id_of(template.padding),
        "pad_type_id": template.padding_segment,
        "pad_token": name(template.padding),
    }


def _layouts(template, vocabulary, name):
    return {
        "type": "TemplateProcessing",
        "single": _layout(template, False, name),
        "pair": _layout(template, True, name),
        "special_tokens": {
            name(token): {
                "id": name(token),
                "ids": [vocabulary.id_of(token)],
                "tokens": [name(token)],
            }
            for token in template.tokens
        },
    }


def _layout(template, is_pair, name):
    return [
        {"Sequence": {"id": word, "type_id": segment}}
        if word in (FIRST, SECOND)
        else {"SpecialToken": {"id": name(word), "type_id": segment}}
        for word, segment in template.layout(is_pair)
    ]
