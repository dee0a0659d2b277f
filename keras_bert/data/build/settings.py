"""The settings that records depend on."""

import dataclasses

from keras_bert.text.tokenizer_kinds import KINDS


def settings_of(inputs, num_shards, text_options, options):
    """Describe all that the records depend on.

    Args:
        inputs: dict from the names of the inputs to what tells their contents.
        num_shards: int.
        text_options: `TextOptions`, settled.
        options: `PretrainingDataOptions`.

    Returns:
        A dict for JSON, the "settings" of the manifest.
    """
    text_settings = dataclasses.asdict(text_options)
    # Its contents count, not its name.
    del text_settings["vocab_file"]
    tokenizer = text_options.tokenizer_settings()
    text_settings.update(KINDS[tokenizer.kind].facts(tokenizer))
    return {
        "inputs": inputs,
        "vocabulary": tokenizer.vocabulary.sha256,
        "num_shards": num_shards,
        "text": text_settings,
        "examples": dataclasses.asdict(options),
    }
