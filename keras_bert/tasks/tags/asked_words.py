"""Words to be tagged."""

import dataclasses

from keras_bert.tasks.tags.sentence_windows import SentenceWindows


@dataclasses.dataclass(frozen=True)
class AskedWords:
    """The words of sentences, tokenized.

    Args:
        windows: `SentenceWindows` of them.
        words: list with a list of str for each sentence.
        texts: list of str, where the words are from; None if they came as
            words.
        spans: list with a list of pairs of int for each text, the first
            character of each word and the one behind it; or None.
    """

    windows: SentenceWindows
    words: list
    texts: list | None = None
    spans: list | None = None

    @classmethod
    def in_texts(cls, windows, texts, spans):
        """The words at some places of texts."""
        words = [
            [text[start:end] for start, end in places]
            for text, places in zip(texts, spans)
        ]
        return cls(windows, words, texts, spans)

    @property
    def rows(self):
        """The windows as `PackedRows`."""
        return self.windows.rows

    @property
    def num_words(self):
        """How many words each sentence has, a list of int."""
        return [len(words) for words in self.words]
