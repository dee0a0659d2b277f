"""The README.md beside saved weights."""

import dataclasses


def model_card(bert, format, extra):
    """Says what a saved model is and how to read it.

    Args:
        bert: `Bert`.
        format: str, the format that it is saved in.
        extra: dict of str, further lines by their heading, such as "Training
            command".

    Returns:
        str, Markdown.
    """
    tokenizer = bert.tokenizer
    sizes = dataclasses.asdict(bert.config)
    parts = ["encoder", *sorted(bert.parts)]
    sections = [
        "# BERT\n",
        f"A BERT ([arXiv 1810.04805](https://arxiv.org/abs/1810.04805)) in "
        f'the "{format}" format of keras_bert, with '
        f"{', '.join(parts)}: {bert.model.count_params():,} parameters.\n",
        "```python\nimport keras_bert\n\n"
        'bert = keras_bert.from_pretrained("this directory")\n```\n',
        "## Architecture\n",
        "\n".join(f"- `{key}`: {value}" for key, value in sizes.items()) + "\n",
        "## Vocabulary\n",
        f"{len(tokenizer.vocabulary):,} word pieces; texts are "
        f"{'lower-cased' if tokenizer.lowercase else 'kept as written'}, "
        f"accents {'dropped' if tokenizer.strip_accents else 'kept'}.\n",
    ]
    for heading, text in extra.items():
        sections += [f"## {heading}\n", f"{text}\n"]
    return "\n".join(sections)
