"""Templates that place special tokens around a text or a pair of texts."""

import dataclasses

from keras_bert.messages import brief

FIRST, SECOND = "A", "B"
ROLES = "pad", "unknown", "cls", "sep", "mask"


@dataclasses.dataclass(frozen=True)
class Template:
    """Layouts of texts and special tokens for a model family.

    A layout is a string of words. A and B stand for the texts. All other words
    are special tokens, or special-token types such as "cls" that the vocabulary
    maps to special tokens. The defaults are BERT's layouts. A suffix such as
    ":1" is the segment id; the default is 0.

    Args:
        single: layout of a single text, such as "[CLS] A [SEP]" or
            "cls A sep".
        pair: layout of a pair, such as "[CLS] A [SEP] B:1 [SEP]:1". B may come
            before A.
        padding: padding token, or "pad".
        padding_side: "right" or "left".
        padding_segment: segment id of the padding.
        segments: whether the model takes `segment_ids`.
        marker: token to insert before a single text, or "" for none. Late
            interaction marks queries and documents.

    Raises:
        ValueError: a layout does not name its texts once, or `padding_side` is
            unknown.
    """

    single: str = "cls A sep"
    pair: str = "cls A sep B:1 sep:1"
    padding: str = "pad"
    padding_side: str = "right"
    padding_segment: int = 0
    segments: bool = True
    marker: str = ""

    def __post_init__(self):
        for layout, texts in ((self.single, "A"), (self.pair, "AB")):
            words = [word for word, _ in _items(layout)]
            if sorted(w for w in words if w in (FIRST, SECOND)) != [*texts]:
                raise ValueError(
                    f"`layout` must contain {' and '.join(texts)} once. "
                    f"Received: {brief(layout)}."
                )
        if self.padding_side not in ("left", "right"):
            raise ValueError(
                "`padding_side` must be 'left' or 'right'. "
                f"Received: padding_side={brief(self.padding_side)}."
            )

    def with_tokens(self, roles, pair=None):
        """Return a copy with special-token types replaced by special tokens.

        Args:
            roles: dict mapping special-token types to tokens, the `roles` of a
                `Vocabulary`. It must contain all types in the template.
            pair: str, the tokenizer's layout of text pairs, or None. It
                replaces the pair layout of a template with the default single
                layout.
        """
        if self.single != Template.single:
            pair = None

        def token(word):
            return roles[word] if word in ROLES else word

        def named(layout):
            items = [item.partition(":") for item in layout.split()]
            return " ".join(token(x) + y + z for x, y, z in items)

        return dataclasses.replace(
            self,
            single=named(self.single),
            pair=named(pair or self.pair),
            padding=token(self.padding),
        )

    def layout(self, is_pair):
        """Return the layout as a list of (word, segment id) pairs."""
        if is_pair:
            return _items(self.pair)
        items = _items(self.single)
        if self.marker:
            index = [word for word, _ in items].index(FIRST)
            items.insert(index, (self.marker, items[index][1]))
        return items

    @property
    def tokens(self):
        """Special tokens of both layouts, starting with the padding token."""
        items = [*self.layout(is_pair=True), *self.layout(is_pair=False)]
        words = [word for word, _ in items]
        named = [w for w in words if w not in (FIRST, SECOND)]
        return tuple(dict.fromkeys([self.padding, *named]))

    @property
    def second_is_first(self):
        """True if the second text of a pair comes before the first."""
        words = [word for word, _ in _items(self.pair)]
        return words.index(SECOND) < words.index(FIRST)

    def num_special(self, is_pair):
        """Return the number of special tokens in a sequence."""
        return len(self.layout(is_pair)) - (2 if is_pair else 1)


def _items(layout):
    """Return (word, segment id) pairs of a layout."""
    items = []
    for item in layout.split():
        word, _, segment = item.partition(":")
        items.append((word, int(segment or 0)))
    return items
