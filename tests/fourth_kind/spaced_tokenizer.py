"""Tokenizer of a kind that is not part of the library, and its settings.

Its pieces are spelled as in byte-level BPE: "Ġ" begins a word, except at the
start of a text. Padding has the id 1, the mask the last id, and there is a
second file next to the vocabulary. Internally it uses WordPiece.
"""

import dataclasses
import json

import tensorflow as tf

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

SPACED = "spaced"
_ROLES = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")


class SpacedVocabulary(BaseVocabulary):
    roles = dict(zip(("pad", "unknown", "cls", "sep", "mask"), _ROLES))

    def __init__(self, words):
        self.words = [*words]
        pieces = [f"Ġ{word}" for word in words]
        super().__init__(
            ("<s>", "<pad>", "</s>", "<unk>", *pieces, *words, "s", "<mask>")
        )

    @property
    def is_continuation(self):
        return [
            not token.startswith("Ġ") and token not in _ROLES
            for token in self.tokens
        ]


@dataclasses.dataclass(frozen=True)
class SpacedSettings(FileDefinedTokenizer):
    kind = SPACED
    files = ("spaced.json", "extra.json")
    pieces = "spaced pieces"

    vocabulary: SpacedVocabulary
    ends: tuple = ("s",)
    is_strict: bool = True
    special_tokens_in_text: bool = False

    def make(self):
        return SpacedTokenizer(self, self.special_tokens_in_text)

    def _write(self, directory):
        values = {"words": self.vocabulary.words}
        (directory / "spaced.json").write_text(json.dumps(values))
        values = {"ends": self.ends, "is_strict": self.is_strict}
        (directory / "extra.json").write_text(json.dumps(values))

    @classmethod
    def _read(cls, directory):
        values = {}
        for name in cls.files:
            if not (directory / name).is_file():
                raise ValueError(f"{directory} lacks {name}.")
            values |= json.loads((directory / name).read_text())
        vocabulary = SpacedVocabulary(values["words"])
        return cls(vocabulary, tuple(values["ends"]), values["is_strict"])


class SpacedTokenizer:
    _arrays, kind = tf, SPACED

    def __init__(self, settings, special_tokens_in_text=False):
        self.settings = settings
        self.vocabulary = settings.vocabulary
        self.special_tokens = special_tokens_in_text
        words, id_of = self.vocabulary.words, self.vocabulary.id_of
        pieces = [*words, *(f"##{end}" for end in settings.ends)]
        self._inner = BertTokenizer(
            Vocabulary([*SPECIAL_TOKENS, *pieces]),
            lowercase=False,
            special_tokens_in_text=special_tokens_in_text,
        )
        ends = [id_of(end) for end in settings.ends]
        roles = [id_of(token) for token in _ROLES]
        self._inside = [*roles, *(id_of(f"Ġ{w}") for w in words), *ends]
        self._first = [*roles, *(id_of(word) for word in words), *ends]

    def with_special_tokens(self):
        return SpacedTokenizer(self.settings, special_tokens_in_text=True)

    def __call__(self, texts):
        return self.tokenize_with_offsets(texts)[0]

    def tokenize_with_offsets(self, texts):
        texts = tf.convert_to_tensor(texts, tf.string)
        if self.special_tokens:
            texts = tf.strings.regex_replace(texts, "<mask>", "[MASK]")
        ids, starts, ends = self._inner.tokenize_with_offsets(texts)
        rows = tf.concat([[-1], ids.value_rowids()], axis=0)
        flat = tf.where(
            tf.not_equal(rows[1:], rows[:-1]),
            tf.gather(tf.constant(self._first), ids.flat_values),
            tf.gather(tf.constant(self._inside), ids.flat_values),
        )
        return ids.with_flat_values(flat), starts, ends

    def detokenize(self, ids):
        return "".join(self.vocabulary.tokens[i] for i in ids).replace("Ġ", " ")
