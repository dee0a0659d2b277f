"""Settings, statistics and warnings for pre-training data."""

import dataclasses

from absl import logging

from keras_bert.pretraining.records.layouts import LAYOUTS

_MAX_UNKNOWN = 0.05
_MIN_CONTINUATIONS = 0.01
_MAX_CUT = 0.3
_MAX_LABEL = 0.95
_LABELS = {
    "random_next": "second sentences random",
    "swapped": "pairs swapped",
}


def settings_of(inputs, num_shards, text_options, options):
    """Check and return all settings that affect the records.

    Args:
        inputs: dict mapping the names of the inputs to their fingerprints.
        num_shards: int, number of record files.
        text_options: resolved `TextOptions`.
        options: `DataOptions`.

    Returns:
        A JSON-serializable dict, the "settings" of the manifest.

    Raises:
        ValueError: the lexicon is invalid or has no effect.
    """
    marks = options.do_whole_word_mask or options.masking == "dynamic"
    if text_options.lexicon_file is not None and not marks:
        raise ValueError(
            "`lexicon_file` requires `do_whole_word_mask` or "
            "`masking`='dynamic'. Received: "
            f"lexicon_file={text_options.lexicon_file!r}."
        )
    text_settings = dataclasses.asdict(text_options)
    # The hash of the vocabulary identifies it, not its name.
    del text_settings["vocab_file"]
    if text_settings.pop("lexicon_file") is not None:
        text_settings["lexicon"] = text_options.lexicon().sha256
    tokenizer = text_options.tokenizer_settings()
    text_settings.update(tokenizer.facts())
    return {
        "inputs": inputs,
        "vocabulary": tokenizer.vocabulary.sha256,
        "num_shards": num_shards,
        "text": text_settings,
        "examples": dataclasses.asdict(options),
    }


def shares_of(counts, options):
    """Return statistics that indicate problems with pre-training data.

    Args:
        counts: dict, as returned by `create_data`.
        options: `DataOptions`.

    Returns:
        A dict of fractions with the keys "unknown" (unknown tokens in the
        text), "cut" (truncated tokens in the text), "random_next" or "swapped",
        depending on the packing (examples with label 1), and "masked" (masked
        tokens in the examples).
    """
    walked = counts["tokens"] * options.dupe_factor
    shares = {
        "unknown": counts["unknown"] / counts["tokens"],
        "cut": counts["cut_tokens"] / walked,
        "masked": counts["predictions"] / counts["example_tokens"],
    }
    label = LAYOUTS[options.packing].label
    if label:
        shares[label] = counts[label] / counts["examples"]
    return {name: round(share, 4) for name, share in shares.items()}


def check_counts(counts, names, options):
    """Raise ValueError if the text is empty or has too few documents.

    Args:
        counts: Counter with the counts of the text.
        names: list of str, names of the inputs.
        options: `DataOptions`.
    """
    listed = ", ".join(names[:3])
    if not counts["tokens"]:
        raise ValueError(
            "The input must contain text with one sentence per line. "
            f"Received: {len(names)} file(s) without words: {listed}."
        )
    if counts["documents"] < 2 and LAYOUTS[options.packing].label:
        raise ValueError(
            "The input must contain at least two documents, because random "
            "second sentences come from another document. Put a blank line "
            f"between documents. Received: 1 document in {listed}."
        )


def warn_of_text(counts, options):
    """Log the size of the text and warn if the settings do not suit it.

    Args:
        counts: dict with the counts of the text.
        options: `DataOptions`.
    """
    unknown, continuations = (
        counts[name] / counts["tokens"] for name in ("unknown", "continuations")
    )
    if unknown > _MAX_UNKNOWN:
        logging.warning(
            "%.1f %% of the tokens are unknown. Is the vocabulary for another "
            "language or casing (`do_lower_case`)?",
            100 * unknown,
        )
    if options.do_whole_word_mask and continuations < _MIN_CONTINUATIONS:
        logging.warning(
            "`do_whole_word_mask` has almost no effect: %.2f %% of the tokens "
            "continue a word. For languages such as Chinese, put spaces "
            "between words and pass `segmented_words`.",
            100 * continuations,
        )
    logging.info(
        "Read %(documents)d documents, %(sentences)d sentences, %(tokens)d "
        "word pieces.",
        counts,
    )


def warn_of_examples(counts, text_options, options):
    """Warn if many tokens are truncated or labels are nearly constant.

    Args:
        counts: dict, as returned by `create_data`.
        text_options: `TextOptions`.
        options: `DataOptions`.
    """
    shares = shares_of(counts, options)
    if shares["cut"] > _MAX_CUT:
        logging.warning(
            "%.1f %% of the tokens of the text are cut off, because its lines "
            "are too long for sequences of %d tokens. To keep them, use %sa "
            "longer `max_seq_length`.",
            100 * shares["cut"],
            options.max_seq_length,
            "" if text_options.split_sentences else "`split_sentences`, or ",
        )
    label = LAYOUTS[options.packing].label
    if label and shares[label] > _MAX_LABEL:
        logging.warning(
            "%.1f %% of the second sentences are random, because nearly all "
            "documents are a single sentence (one line): the model then learns "
            "nothing from the labels. Put the sentences of a document on "
            "consecutive lines and a blank line between documents%s; or "
            "pre-train with objective='mlm'.",
            100 * shares[label],
            "" if text_options.split_sentences else ", pass `split_sentences`",
        )


def describe_examples(counts, options):
    """Summarize the created examples for the log.

    Args:
        counts: dict, as returned by `create_data`.
        options: `DataOptions`.

    Returns:
        str, one line.
    """
    shares = shares_of(counts, options)
    parts = [
        f" {shares[label]:.1%} of the {text},"
        for label, text in _LABELS.items()
        if label in shares
    ]
    masked = "masks are sampled during training"
    if options.masking == "static":
        masked = f"{shares['masked']:.1%} of the tokens masked"
    return f"{counts['examples']} examples;{''.join(parts)} {masked}"
