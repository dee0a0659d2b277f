"""Vocabulary and merges files of BPE tokenizers."""

import os

from keras_bert.config import read_json_file
from keras_bert.files.atomic import write_json
from keras_bert.files.atomic import write_whole
from keras_bert.text.base_vocabulary import read_lines
from keras_bert.text.tokenizer_files import tokens_by_id
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer

VOCABULARY, MERGES = NAMES = "vocab.json", "merges.txt"
_VERSION = "#version"


class MergesSettings(FileDefinedTokenizer):
    """Base class for settings with the fields `vocabulary` and `merges`.

    Attributes:
        vocabulary_class: class of the vocabulary.
    """

    model_type = "BPE"

    def __post_init__(self):
        vocabulary, merges = self.vocabulary, self.merges
        if not isinstance(vocabulary, self.vocabulary_class):
            tokens, source = read_vocab_json(vocabulary), str(vocabulary)
            vocabulary = self.vocabulary_class(tokens, source)
        if isinstance(merges, str | os.PathLike):
            merges = read_merges_txt(merges)
        merges = tuple(map(tuple, merges))
        vars(self).update(vocabulary=vocabulary, merges=merges)
        super().__post_init__()
        check_merges(vocabulary, merges, self._symbols())

    @staticmethod
    def _read_pieces(files, *names):
        """Read tokens and merges.

        Args:
            files: `TokenizerFiles`.
            *names: (vocabulary file name, merges file name) pairs.

        Returns:
            The path to show in error messages, the tokens in the order of their
            ids, and the merges.
        """
        for pair in names:
            vocabulary, merges = (files.directory / name for name in pair)
            if vocabulary.is_file() and merges.is_file():
                tokens = read_vocab_json(vocabulary)
                return str(vocabulary), tokens, read_merges_txt(merges)
        if not files.fast:
            raise ValueError(
                f"{files.directory} must contain {' and '.join(names[0])}, or "
                f"{files.fast_path.name}."
            )
        return str(files.fast_path), files.fast_tokens(), files.fast_merges()

    def _write_pieces(self, directory):
        write_json(directory / VOCABULARY, self.vocabulary.ids, None, False)
        lines = (f"{left} {right}\n" for left, right in self.merges)
        text = f"{_VERSION}: 0.2\n{''.join(lines)}"
        write_whole(directory / MERGES, text)


def read_vocab_json(path):
    """Return the tokens of a `vocab.json` in the order of their ids."""
    return tokens_by_id(read_json_file(path), path)


def read_merges_txt(path):
    """Read a `merges.txt` with a pair of tokens on each line.

    Lines end at "\\n" only. A first line "#version: 0.2" is skipped.

    Returns:
        A list of pairs of str.

    Raises:
        ValueError: a line is invalid; the message names the line.
    """
    merges = []
    for number, line in enumerate(read_lines(path), start=1):
        pair = tuple(line.split(" "))
        if len(pair) == 2 and all(pair) and not line.startswith(_VERSION):
            merges.append(pair)
        elif number > 1 or not line.startswith(_VERSION):
            raise ValueError(
                f"{path} must have two tokens separated by a space in each "
                f"line. Received: {line[:80]!r} in line {number}."
            )
    return merges


def check_merges(vocabulary, merges, known):
    """Raise ValueError unless `Merges` can apply the merges.

    Args:
        vocabulary: a vocabulary.
        merges: sequence of pairs of tokens.
        known: set of str, the initial symbols, before any merge.
    """
    for rank, merge in enumerate(merges, start=1):
        merged = "".join(merge)
        if (
            len(merge) == 2
            and {*merge} <= known
            and merged in vocabulary
            and merged not in known
        ):
            known.add(merged)
            continue
        raise ValueError(
            f"Merge {rank} of {len(merges)} must join two symbols or results "
            "of earlier merges to a new token of the vocabulary. Use the "
            "vocabulary and merges of the same tokenizer. Received: "
            f"{' '.join(merge)!r}."
        )
