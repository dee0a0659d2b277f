"""Words to tags with transformers."""

import torch
import transformers
from hugging_face_texts import Texts

_NO_LABEL = -100


class Words(Texts):
    """As `Texts`; the first piece of a word speaks for it.

    A word that is cut off, or has no piece, is the first of the labels, "O".
    """

    kind = transformers.AutoModelForTokenClassification

    def rows(self, inputs, labels=None):
        rows = self.encode(inputs, is_split_into_words=True)
        for row in rows:
            row["firsts"] = _firsts(row["words"])
        # There may be no labels.
        for row, tags in zip(rows, labels or [], strict=False):
            row["label"] = [_NO_LABEL] * self.length(row)
            for word, place in row["firsts"].items():
                row["label"][place] = self.names.index(tags[word])
        return rows

    def targets(self, rows):
        width = max(map(self.length, rows))
        labels = [
            row["label"] + [_NO_LABEL] * (width - len(row["label"]))
            for row in rows
        ]
        return {"labels": torch.tensor(labels)}

    def answers(self, inputs, rows, found):
        return [
            [
                self.names[places[row["firsts"][word]]]
                if word in row["firsts"]
                else self.names[0]
                for word in range(len(words))
            ]
            for words, row, places in zip(inputs, rows, found, strict=True)
        ]


def _firsts(words):
    """The place of the first piece of each word."""
    places = {}
    for place, word in enumerate(words):
        if word is not None:
            places.setdefault(word, place)
    return places
