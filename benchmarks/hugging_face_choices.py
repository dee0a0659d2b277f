"""The choice among several with transformers."""

import transformers
from hugging_face_texts import Texts


class Choices(Texts):
    """As `Texts`; a row is a question, its ids those of all its choices."""

    kind = transformers.AutoModelForMultipleChoice

    def rows(self, inputs, labels=None):
        rows = [
            {"choices": self.encode([context] * len(choices), choices)}
            for context, choices in inputs
        ]
        # There may be no labels.
        for row, label in zip(rows, labels or [], strict=False):
            row["label"] = label
        return rows

    def length(self, row):
        return max(len(choice["ids"]["input_ids"]) for choice in row["choices"])

    def padded(self, rows):
        flat = [choice for row in rows for choice in row["choices"]]
        return {
            name: values.reshape(len(rows), -1, values.shape[-1])
            for name, values in super().padded(flat).items()
        }

    def answers(self, inputs, rows, found):
        return found
