"""Training and evaluation examples for text embeddings."""

import itertools

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.columns import PAIR_KEYS
from keras_bert.tasks.columns import SINGLE_KEYS
from keras_bert.tasks.columns import as_rows
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.columns import included_labels
from keras_bert.tasks.columns import plain
from keras_bert.tasks.columns import split_examples
from keras_bert.tasks.labels import numbers
from keras_bert.tasks.training.distinct_texts import without_duplicates
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import tokenized_rows

_MAX_NEGATIVES = 64
# Column names, as in sentence-transformers datasets.
_KEYS = (("anchor", "positive"), ("anchor", "positive", "negative"))
_KEYS += PAIR_KEYS
_KEYS += tuple(
    ("anchor", "positive", *(f"negative_{n}" for n in range(1, count + 1)))
    for count in range(2, _MAX_NEGATIVES + 1)
)


class EmbeddingExamples(Encoded):
    """Tokenized examples with one or more texts each.

    Args:
        rows: `RaggedRows` of the distinct texts.
        groups: int `(num_examples, num_texts)`, indices in `rows` of the texts
            of each example.
        labels: float32 `(num_examples, ...)`. If None, the targets are
            `groups`, in which equal texts have equal ids.

    Attributes:
        no_duplicates: bool, whether batches are formed so that no text is in
            two examples of a batch.
    """

    no_duplicates = False

    def __init__(self, rows, groups, labels=None):
        super().__init__(
            rows,
            groups=groups,
            targets=groups if labels is None else labels,
            output="embedding",
        )
        self.labels = labels

    @property
    def num_texts(self):
        """Number of texts per example (int)."""
        return self.groups.shape[1]

    @property
    def label_shape(self):
        """Shape of each label, or None if there are no labels."""
        return None if self.labels is None else self.labels.shape[1:]

    @property
    def are_scored_pairs(self):
        """True if the examples are pairs with one score each (bool)."""
        return self.num_texts == 2 and self.label_shape == ()

    def epoch_batches(self, batch_size, seed, epoch):
        batches = super().epoch_batches(batch_size, seed, epoch)
        if self.no_duplicates:
            return without_duplicates(batches, self.groups, batch_size)
        return batches


class _GuideTargets:
    """Vectors of the texts of examples, selected by index.

    Args:
        vectors: float array `(num_texts, dim)` of distinct texts.
        groups: int `(num_examples, num_texts)`, rows of `vectors`.
    """

    def __init__(self, vectors, groups):
        self._vectors, self._groups = vectors, groups
        self.shape = (*groups.shape, vectors.shape[1])

    def __len__(self):
        return len(self._groups)

    def __getitem__(self, indices):
        return self._vectors[self._groups[indices]]


def embedding_examples(
    preprocess, texts, labels=None, guide=None, query_preprocess=None
):
    """Check and tokenize examples.

    Args:
        preprocess: `Preprocessor`.
        texts: list, array or table of (anchor, positive, negatives) tuples,
            or of single texts if there are labels. Or a `tf.data.Dataset` of
            such tuples, or of (tuple, label) tuples.
        labels: number or list of numbers for each example. None if there are
            no labels.
        guide: see `EmbeddingLoss`.
        query_preprocess: `Preprocessor` of the first text of each example.
            Defaults to `preprocess`.

    Returns:
        `EmbeddingExamples`.

    Raises:
        ValueError: an example is malformed. The message names its index.
    """
    texts, labels = _split(texts, labels)
    keys = _KEYS if labels is None else SINGLE_KEYS + _KEYS
    columns = encoded_texts(texts, keys)
    if query_preprocess is None:
        indices, ids = _numbered(columns)
        rows = tokenized_rows(preprocess, [*indices])
    else:
        queries, ids = _numbered(columns[:1])
        indices, others = _numbered(columns[1:], len(queries))
        ids += others
        rows = tokenized_rows(query_preprocess, [*queries]).joined(
            tokenized_rows(preprocess, [*indices])
        )
    groups = np.array(ids).T
    examples = EmbeddingExamples(rows, groups, labels)
    if guide is not None and labels is None:
        vectors = guide.embed([text.decode() for text in indices])
        examples.targets = _GuideTargets(vectors, groups)
    return examples


def _numbered(columns, start=0):
    """Return a dict that numbers the distinct texts, and the numbers."""
    indices = {}
    for text in itertools.chain(*zip(*columns, strict=True)):
        indices.setdefault(text, start + len(indices))
    return indices, [[indices[text] for text in column] for column in columns]


def evaluation_examples(preprocess, data, guide=None, query_preprocess=None):
    """Check and tokenize examples for evaluation.

    Args:
        preprocess: `Preprocessor`.
        data: argument of `with_labels`.
        guide, query_preprocess: see `embedding_examples`.

    Raises:
        ValueError: an example is malformed, or is a single text.
    """
    examples = embedding_examples(
        preprocess, *with_labels(data), guide, query_preprocess
    )
    if examples.num_texts == 1:
        raise ValueError(
            "To evaluate embeddings, pass pairs, with or without scores, or "
            "tuples (anchor, positive, negatives). Received: single texts."
        )
    return examples


def with_labels(data):
    """Return the texts and the labels of a dataset.

    Args:
        data: examples without labels, or an (examples, labels) tuple.
    """
    if not isinstance(data, tuple):
        return data, None
    if len(data) != 2:
        raise ValueError(
            "A dataset must be a list of examples or a tuple (examples, "
            f"labels). Received: a tuple of {len(data)}."
        )
    return data


def _split(texts, labels):
    """Return the texts as a list and the labels as a float32 array or None."""
    spec = getattr(texts, "element_spec", None)
    has_tuples = isinstance(spec, tuple) and hasattr(spec[0], "shape")
    if labels is None and not has_tuples:
        texts, labels = included_labels(texts)
    keys = SINGLE_KEYS + _KEYS
    is_array = isinstance(labels, np.ndarray) and labels.dtype.kind in "fiu"
    if is_array and labels.ndim == 2 and labels.shape[1] > 1:
        texts, _ = split_examples(texts, range(len(labels)), keys)
        return texts, _finite(labels)
    if labels is not None:
        texts, labels = split_examples(texts, labels, keys)
        return texts, _label_array(labels)
    texts = as_rows(texts, _KEYS)
    if not texts:
        raise ValueError("`texts` must not be empty. Received: texts=[].")
    return texts, None


def _label_array(labels):
    """Convert numbers, or equally long lists of numbers, to an array."""
    first = plain(labels[0])
    if isinstance(first, list | tuple) and len(first) > 1:
        return numbers(labels, len(first))
    return numbers(labels)[:, 0]


def _finite(labels):
    """Check that a large array is finite and convert it to float32."""
    labels = labels.astype(np.float32)
    for index in np.flatnonzero(~np.isfinite(labels).all(axis=1))[:1]:
        raise ValueError(
            "`labels` must be finite numbers. Received: "
            f"{brief(labels[index].tolist())} at index {index}."
        )
    return labels
