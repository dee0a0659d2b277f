"""The README.md beside saved weights."""

import dataclasses
import math

from keras_bert.text.tokenizer_kinds import KINDS


def model_card(model, format, extra):
    """Says what a saved model is and how to read it.

    Args:
        model: `PretrainedModel`.
        format: str, the format that it is saved in.
        extra: dict of str, further lines by their heading, such as "Training
            command".

    Returns:
        str, Markdown.
    """
    tokenizer, family = model.tokenizer_settings, model.family
    kind = KINDS[tokenizer.kind]
    sizes = dataclasses.asdict(model.config)
    parts = ["encoder", *sorted(model.parts)]
    count = sum(math.prod(w.shape) for w in model.weights.values())
    sections = [
        f"# {family.name}\n",
        f"A {family.name} ([arXiv {family.paper}]"
        f"(https://arxiv.org/abs/{family.paper})) in "
        f'the "{format}" format of keras_bert, with '
        f"{', '.join(parts)}: {count:,} parameters.\n",
        "```python\nimport keras_bert\n\n"
        'bert = keras_bert.from_pretrained("this directory")\n```\n',
        "## Architecture\n",
        "\n".join(f"- `{key}`: {value}" for key, value in sizes.items()) + "\n",
        "## Vocabulary\n",
        f"{len(tokenizer.vocabulary):,} {kind.pieces}; "
        f"{kind.described(tokenizer)}.\n",
    ]
    for heading, text in extra.items():
        sections += [f"## {heading}\n", f"{text}\n"]
    return "\n".join(sections)
