"""Likely causes of what does not fit, for error messages."""

_OTHER_FAMILIES = (
    "roberta",
    "distilbert",
    "albert",
    "electra",
    "deberta",
    "mpnet",
    "transformer.layer",
)
# Of the published models.
_SIZES = {
    128: "tiny",
    256: "mini",
    512: "small or medium",
    768: "base",
    1024: "large",
}
_VOCABULARIES = {
    21128: "the Chinese models",
    28996: "the cased English models",
    30522: "the uncased English models",
    105879: "the uncased multilingual models",
    119547: "the cased multilingual models",
}


def hint_of_report(report, source):
    """A likely cause of a failed comparison, a sentence or "".

    Args:
        report: `LoadReport`.
        source: `Source`.
    """
    names = " ".join(report.unexpected)
    for family in _OTHER_FAMILIES:
        if family in names:
            return "It looks like another architecture than BERT."
    for expected, found in report.misshaped.values():
        size = source.config.hidden_size
        if len(expected) == len(found) == 2 and expected[-1] != found[-1]:
            return (
                f"The config has hidden_size={size}{_published(size)}, the "
                f"weights seem to have {found[-1]}{_published(found[-1])}."
            )
    return ""


def hint_of_vocabulary(rows, lines):
    """Which published models have these sizes, a sentence or "".

    Args:
        rows: int, rows of the table of word embeddings.
        lines: int, word pieces of the vocabulary.
    """
    if rows not in _VOCABULARIES or lines not in _VOCABULARIES:
        return ""
    return (
        f"The weights have the size of {_VOCABULARIES[rows]}, the vocabulary "
        f"that of {_VOCABULARIES[lines]}."
    )


def _published(size):
    return f" (BERT-{_SIZES[size]})" if size in _SIZES else ""
