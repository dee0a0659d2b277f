"""What is particular to word pieces among the kinds of tokenizers."""

import dataclasses

from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_beside
from keras_bert.text.vocabulary import Vocabulary
from keras_bert.text.wordpiece_files import read_wordpiece
from keras_bert.text.wordpiece_settings import FILES
from keras_bert.text.wordpiece_settings import WordpieceSettings


class WordpieceKind:
    """Word pieces, whose casing a flag or a file beside them tells.

    Attributes:
        files: tuple of str, what is written, the vocabulary first.
        pieces: str, what its tokens are called.
        model_type: str, its name in a `tokenizer.json` that is read, or "".
        other_names: tuple of str, names that its vocabulary also has.
    """

    files = FILES
    pieces = "word pieces"
    model_type = ""
    other_names = ()

    def read(self, directory, max_chars_per_word, lowercase=None):
        """The settings that a directory holds, as of `read_wordpiece`."""
        return read_wordpiece(directory, max_chars_per_word, lowercase)

    def vocabulary(self, vocab_file):
        """The `Vocabulary` of a `vocab.txt`."""
        return Vocabulary.from_file(vocab_file)

    def casing(self, vocab_file, claims, default=None):
        """Whether texts are lower-cased, of all that tell it.

        Args:
            vocab_file: str; what stands beside it tells too.
            claims, default: as of `agreed_casing`.

        Returns:
            bool
        """
        claims = {**claims, **casing_beside(vocab_file)}
        return agreed_casing(self.vocabulary(vocab_file), claims, default)

    def settings(self, vocab_file, lowercase):
        """The `WordpieceSettings` of a `vocab.txt` and a casing."""
        return WordpieceSettings(self.vocabulary(vocab_file), lowercase)

    def lowercased(self, settings):
        """The same settings, but that texts are lower-cased."""
        return dataclasses.replace(settings, lowercase=True)

    def facts(self, settings):
        """What a manifest tells besides the vocabulary, a dict for JSON."""
        return {"do_lower_case": settings.lowercase}

    def described(self, settings):
        """What a model card tells besides the number of the pieces."""
        casing = "lower-cased" if settings.lowercase else "kept as written"
        accents = "dropped" if settings.strip_accents else "kept"
        found = ", special tokens in them found"
        found = found if settings.special_tokens_in_text else ""
        return f"texts are {casing}, accents {accents}{found}"

    def packed(self, settings):
        """All of the settings, a dict for JSON."""
        return {
            "vocabulary": [*settings.vocabulary.tokens],
            "lowercase": settings.lowercase,
            "strip_accents": settings.strip_accents,
            "max_chars_per_word": settings.max_chars_per_word,
            "special_tokens_in_text": settings.special_tokens_in_text,
        }

    def unpacked(self, values):
        """The settings that `packed` was given."""
        vocabulary = Vocabulary(values["vocabulary"])
        return WordpieceSettings(**{**values, "vocabulary": vocabulary})
