"""What the `tokenizer.json` of an ALBERT does before SentencePiece.

Its steps are Replace, which makes quotation marks of "``" and "''", then NFKD,
StripAccents, Lowercase and Precompiled, the table of the model. Two ops do it
in the graph: a table of code points holds the middle ones, and the table of the
model is replaced with one that also knows the pairs of quotation marks.

They are pairs in the text as given only. So what the first table drops leaves
a `SEPARATOR` behind, and marks that it makes of other characters stand between
two: the second table drops them.
"""

from keras_bert.text.sentencepiece_charsmap import build_charsmap
from keras_bert.text.sentencepiece_charsmap import single_replacements

# Pairs of these marks are quotation marks.
QUOTING, QUOTE = ("`", "'"), '"'
# It is a combining mark, which the first table drops wherever it stands.
SEPARATOR = "\u20d2"
# `WhitespaceSplit`, as far as NFKD leaves any.
_WHITE_SPACE = "\t\n\x0b\x0c\r\x85\u1680\u2028\u2029"


def mark_changes(character: str, normalized: str) -> str:
    """What the first table makes of a character.

    Args:
        character: str.
        normalized: str, what NFKD, StripAccents and Lowercase make of it.
    """
    if character in QUOTING:
        return character
    if not normalized:
        return SEPARATOR
    for mark in QUOTING:
        normalized = normalized.replace(mark, SEPARATOR + mark + SEPARATOR)
    return normalized


def hugging_face_charsmap(charsmap: bytes) -> bytes:
    """The second table, of single characters and pairs of marks.

    Precompiled looks at single characters; at whole graphemes only where they
    have less than six bytes, and none of those is left with an accent.

    Args:
        charsmap: bytes, the replacements of a model.

    Returns:
        Bytes, likewise.
    """
    return build_charsmap(
        {
            **dict.fromkeys(_WHITE_SPACE, " "),
            **single_replacements(charsmap),
            **{2 * mark: QUOTE for mark in QUOTING},
            SEPARATOR: "",
        }
    )
