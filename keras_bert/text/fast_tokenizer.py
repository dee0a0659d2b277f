"""Contents of a `tokenizer.json` for all tokenizer types."""

from keras_bert.template import FIRST
from keras_bert.template import SECOND


def tokenizer_json(
    settings, tokens, template, name=str, truncation=None, padding=None
):
    """Return the contents of a `tokenizer.json`.

    Args:
        settings: settings of a tokenizer, with `fast_components()`.
        tokens: sequence of `AddedToken` to match in texts.
        template: `Template`.
        name: callable that maps a special token to its name in the file.
        truncation, padding: values of these keys in the file (dict), or None.

    Returns:
        A JSON-serializable dict.
    """
    vocabulary = settings.vocabulary
    template = template.with_tokens(vocabulary.roles)
    return {
        "version": "1.0",
        "truncation": truncation,
        "padding": padding,
        "added_tokens": added_tokens_json(vocabulary, tokens),
        "post_processor": {
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
        },
        **settings.fast_components(),
    }


def _layout(template, is_pair, name):
    return [
        {"Sequence": {"id": word, "type_id": segment}}
        if word in (FIRST, SECOND)
        else {"SpecialToken": {"id": name(word), "type_id": segment}}
        for word, segment in template.layout(is_pair)
    ]


def added_tokens_json(vocabulary, tokens):
    """Return the `added_tokens` of a `tokenizer.json`.

    Args:
        vocabulary: a vocabulary.
        tokens: sequence of `AddedToken`.

    Returns:
        A list of dicts.
    """
    return [
        {
            "id": vocabulary.id_of(token.text),
            "content": token.text,
            "single_word": False,
            "lstrip": token.takes_space,
            "rstrip": False,
            "normalized": token.is_normalized,
            "special": token.is_special,
        }
        for token in sorted(tokens, key=lambda x: vocabulary.id_of(x.text))
    ]
