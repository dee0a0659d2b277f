"""Layouts of a text, or a pair, between special tokens."""

import dataclasses

FIRST, SECOND = "A", "B"
ROLES = "pad", "unknown", "cls", "sep", "mask"


@dataclasses.dataclass(frozen=True)
class Template:
    """The layout of one family of models, by default BERT's.

    A layout is written as words: A and B stand for the texts, all others are
    special tokens, or the roles that a vocabulary gives to them. A number
    behind a colon is the segment, 0 without one.

    Args:
        single: str, such as "[CLS] A [SEP]" or "cls A sep".
        pair: str, such as "[CLS] A [SEP] B:1 [SEP]:1".
        padding: str, the token that fills up, or "pad".
        padding_side: "right" or "left".
        padding_segment: int, the segment of the padding.
        segments: bool, whether the model has segments; without, there is no
            `segment_ids`.

    Raises:
        ValueError: a layout does not name its texts once and in order, or
            the side is unknown.
    """

    single: str = "cls A sep"
    pair: str = "cls A sep B:1 sep:1"
    padding: str = "pad"
    padding_side: str = "right"
    padding_segment: int = 0
    segments: bool = True

    def __post_init__(self):
        for layout, texts in ((self.single, "A"), (self.pair, "AB")):
            words = [word for word, _ in _items(layout)]
            if [w for w in words if w in (FIRST, SECOND)] != [*texts]:
                raise ValueError(
                    f"A layout must name {' and '.join(texts)} once, in this "
                    f"order. Received: {layout!r}."
                )
        if self.padding_side not in ("left", "right"):
            raise ValueError(
                "`padding_side` must be 'left' or 'right'. "
                f"Received: padding_side={self.padding_side!r}."
            )

    def with_tokens(self, roles, pair=None):
        """Replace the roles by the tokens of a vocabulary.

        Args:
            roles: dict from roles to tokens, the `roles` of a `Vocabulary`.
                One that the layout names and a vocabulary lacks is an error.
            pair: str, the layout of pairs of the vocabulary's tokenizer, or
                None. It replaces the layout of the family, if single texts
                are laid out as `Template()` does.
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
        """The words of a sequence in order, each with its segment."""
        return _items(self.pair if is_pair else self.single)

    @property
    def tokens(self):
        """The special tokens that it names, the padding first."""
        words = [word for word, _ in _items(f"{self.pair} {self.single}")]
        named = [w for w in words if w not in (FIRST, SECOND)]
        return tuple(dict.fromkeys([self.padding, *named]))

    def num_special(self, is_pair):
        """Number of special tokens in a sequence."""
        return len(self.layout(is_pair)) - (2 if is_pair else 1)


def _items(layout):
    """The words of a layout with their segments."""
    items = []
    for item in layout.split():
        word, _, segment = item.partition(":")
        items.append((word, int(segment or 0)))
    return items
