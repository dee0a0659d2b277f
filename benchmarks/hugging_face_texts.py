"""Texts to labels with transformers; other tasks differ from it in part."""

import torch
import transformers


class Texts:
    """How a model is made, fed and read.

    Args:
        tokenizer: of transformers.
        recipe: dict, as of `fine_tuning_quality.py`.
    """

    kind = transformers.AutoModelForSequenceClassification

    def __init__(self, tokenizer, recipe):
        self.tokenizer = tokenizer
        self.seq_length = recipe["seq_length"]
        self.names = recipe["labels"]

    def make(self, model_dir):
        """A model with a fresh head."""
        options = {"num_labels": len(self.names)} if self.names else {}
        return self.kind.from_pretrained(model_dir, **options)

    def rows(self, inputs, labels=None):
        """What is given to the model, a list of dicts.

        Args:
            inputs: list.
            labels: list, or None to predict.

        Returns:
            A list of dicts: `ids`, a dict of lists of int, and, with labels,
            what `targets` takes.
        """
        is_pair = not isinstance(inputs[0], str)
        columns = zip(*inputs, strict=True) if is_pair else [inputs]
        rows = self.encode(*map(list, columns))
        # There may be no labels.
        for row, label in zip(rows, labels or [], strict=False):
            row["label"] = self.names.index(label)
        return rows

    def encode(self, *texts, **options):
        """The ids of texts, or of pairs, or of words, as of `rows`."""
        encoded = self.tokenizer(
            *texts, truncation=True, max_length=self.seq_length, **options
        )
        return [
            {
                "ids": dict(zip(encoded, values, strict=True)),
                "words": encoded.word_ids(index),
            }
            for index, values in enumerate(zip(*encoded.values(), strict=True))
        ]

    def length(self, row):
        """In tokens."""
        return len(row["ids"]["input_ids"])

    def padded(self, rows):
        """A batch, a dict of tensors."""
        return self.tokenizer.pad(
            [row["ids"] for row in rows], return_tensors="pt"
        )

    def targets(self, rows):
        """The model's other arguments in training, a dict of tensors."""
        return {"labels": torch.tensor([row["label"] for row in rows])}

    def read(self, outputs):
        """The places of the best outputs, a list with an item a row."""
        return outputs.logits.argmax(-1).tolist()

    def answers(self, inputs, rows, found):
        """Predictions, fit for JSON.

        Args:
            inputs: list.
            rows: list, as of `rows`.
            found: list, of what `read` gives for each row.
        """
        return [self.names[place] for place in found]
