"""Inputs for `PairRanker`, which are queries with their documents."""

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.columns import PAIR_KEYS
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.columns import split_examples
from keras_bert.tasks.inputs.inputs import Inputs
from keras_bert.tasks.labels import numbers
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.text.preprocessor import Preprocessor


class Lists(Inputs):
    """Inputs for `PairRanker`, where an example is a query with documents.

    A pair is an example with one document.

    Args:
        pretrained: `PretrainedModel`.
        template: `Template`.
        settings: dict with `seq_length`.
    """

    text_inputs = ("text", "text_pair")

    def __init__(self, pretrained, template, settings):
        tokenizer, seq_length = pretrained.tokenizer, settings["seq_length"]
        self.preprocess = Preprocessor(tokenizer, template, seq_length)

    def read(self, texts):
        columns = encoded_texts(texts, PAIR_KEYS)
        return [(query, [text]) for query, text in zip(*columns, strict=True)]

    def read_labelled(self, texts, labels):
        rows, labels = split_examples(texts, labels, PAIR_KEYS)
        examples = enumerate(zip(rows, labels, strict=True))
        lists = [_labelled_list(index, *example) for index, example in examples]
        return [x[:2] for x in lists], [x[2] for x in lists]

    def encode(self, lists, targets=None, weights=None):
        counts = np.array([len(texts) for _, texts in lists], np.int64)
        documents = [text for _, texts in lists for text in texts]
        queries = [query for query, texts in lists for _ in texts]
        rows = tokenized_rows(self.preprocess, queries, documents)
        # Pad short lists by repeating their first document.
        positions = np.arange(counts.max(initial=1))
        positions = np.where(positions < counts[:, np.newaxis], positions, 0)
        starts = np.cumsum(counts) - counts
        return Encoded(
            rows,
            counts,
            groups=starts[:, np.newaxis] + positions,
            targets=targets,
            weights=weights,
            decode_context=[query for query, _ in lists],
        )

    def join(self, encoded, logits):
        return logits[encoded.groups, 0]


def _labelled_list(index, row, labels):
    """Return the query, the documents and the labels of an example."""
    is_pair = isinstance(row, list | tuple) and len(row) == 2
    try:
        query, texts = row if is_pair else (row, None)
        if isinstance(texts, str):
            texts, labels = [texts], [labels]
        texts, labels = as_list(texts), as_list(labels, "labels")
        if not texts or len(texts) != len(labels):
            raise ValueError(
                f"Received: {len(texts)} documents and {len(labels)} labels."
            )
        query, *texts = checked_texts([query, *texts])
        labels = numbers(labels)[:, 0]
    except ValueError as error:
        raise ValueError(
            "`texts` must be pairs of a query and a document, or of a query "
            "and a list of documents with a list of labels of the same length. "
            f"Received: {brief(row)} at index {index}: {error}"
        ) from None
    return query, texts, labels
