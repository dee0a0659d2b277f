"""Conversion of tokenizers to Hugging Face's tokenizer.json."""

from keras_bert.config import read_json_object
from keras_bert.files.atomic import write_json
from keras_bert.text.fast_tokenizer import tokenizer_json
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import USER_DEFINED

_CUT_AT = {"head": "Right", "tail": "Left"}


def write_tokenizer_json(preprocess, path):
    """Write a `tokenizer.json` that tokenizes like a preprocessor.

    Texts are padded to the longest text of a batch, and truncated except with
    "head_tail", which the package `tokenizers` lacks. Special tokens in a text
    are recognized if the tokenizer recognizes them.
    """
    template, settings = preprocess.template, preprocess.tokenizer.settings
    vocabulary, name = settings.vocabulary, _spelling(settings)
    finds_all = settings.special_tokens_in_text
    values = tokenizer_json(
        settings,
        [t for t in settings.fast_tokens if finds_all or not t.is_special],
        template,
        name,
        _truncation(preprocess),
        {
            "strategy": "BatchLongest",
            "direction": template.padding_side.capitalize(),
            "pad_to_multiple_of": None,
            "pad_id": vocabulary.id_of(template.padding),
            "pad_type_id": template.padding_segment,
            "pad_token": name(template.padding),
        },
    )
    if settings.kind == "sentencepiece":
        _hide_pieces(values["model"], vocabulary, name)
    write_json(path, values, 1, False)


def point_to_tokenizer_json(preprocess, path, inputs):
    """Make transformers read `tokenizer.json` as it is.

    Otherwise, it builds tokenizers of known classes from the vocabulary, with
    other names of special tokens, and finds special tokens in texts.

    Args:
        preprocess: `Preprocessor`.
        path: `pathlib.Path` of the `tokenizer_config.json` to change.
        inputs: list of str, names of the inputs of the model.
    """
    settings, config = preprocess.tokenizer.settings, read_json_object(path)
    name = _spelling(settings)
    tokens = {k: name(x) for k, x in config.items() if k.endswith("_token")}
    values = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "split_special_tokens": not settings.special_tokens_in_text,
        "model_input_names": inputs,
        "padding_side": preprocess.template.padding_side,
        "truncation_side": _CUT_AT.get(preprocess.truncation, "Right").lower(),
    }
    write_json(path, {**config, **tokens, **values})


def _hide_pieces(model, vocabulary, name):
    """Rename the unused pieces of a Unigram model."""
    cut_into = {
        piece.text
        for piece in vocabulary.model.pieces
        if piece.type in (NORMAL, USER_DEFINED)
    } - {*vocabulary.roles.values()}
    model["vocab"] = [
        [token if token in cut_into else name(token), score]
        for token, score in model["vocab"]
    ]


def _spelling(settings):
    """Return the function that maps special tokens to their names in the file.

    A Unigram model finds any piece of its vocabulary in a text. SentencePiece
    first replaces all spaces in the text, so names with a leading space never
    match. This hides special tokens.
    """
    is_unigram = settings.kind == "sentencepiece"
    is_hidden = is_unigram and not settings.special_tokens_in_text
    return " {}".format if is_hidden else str


def _truncation(preprocess):
    if preprocess.truncation not in _CUT_AT:
        return None
    return {
        "direction": _CUT_AT[preprocess.truncation],
        "max_length": preprocess.seq_length,
        "strategy": "LongestFirst",
        "stride": 0,
    }
