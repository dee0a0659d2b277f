"""Comparison of quantized models with their float32 versions."""

import dataclasses

import numpy as np

# Fraction of the labels that may differ; one label always may.
LOST_LABELS = 0.01
_MIN_MEAN_COSINE, _MIN_COSINE, _MIN_RANK_CORRELATION = 0.985, 0.95, 0.99
_VECTORS = ("sentence_embedding", "embedding")
_STATES = ("last_hidden_state", "sequence_output", "token_embeddings")


@dataclasses.dataclass(frozen=True)
class QuantizationComparison:
    """Results of comparing an int8 model with its float32 version.

    Args:
        num_texts: int, number of texts.
        num_labels: int, number of predicted labels, such as classes or answer
            positions.
        num_equal_labels: int, number of labels predicted by both models.
        mean_cosine: float, mean cosine similarity between the vectors of a text
            from both models.
        least_cosine: float, minimum of these cosine similarities.
        rank_correlation: float, Spearman correlation between both models of the
            similarities of all pairs of texts, or of a regressor's scores.
    """

    num_texts: int
    num_labels: int = 0
    num_equal_labels: int = 0
    mean_cosine: float = 1.0
    least_cosine: float = 1.0
    rank_correlation: float = 1.0

    @property
    def is_close(self):
        return (
            self.mean_cosine >= _MIN_MEAN_COSINE
            and self.least_cosine >= _MIN_COSINE
            and self.rank_correlation >= _MIN_RANK_CORRELATION
            and keeps_labels(self.num_labels, self.num_equal_labels)
        )


def keeps_labels(num_labels, num_equal_labels):
    """Return True if few enough labels differ.

    One label may differ, or at most the fraction `LOST_LABELS` of all labels.
    """
    return num_labels - num_equal_labels <= max(1, LOST_LABELS * num_labels)


def check_is_close(comparison):
    """Raise ValueError if the outputs of an int8 model differ too much."""
    if not comparison.is_close:
        raise ValueError(
            "The int8 model differs too much from the float32 model. Between "
            f"their outputs, the mean cosine must be {_MIN_MEAN_COSINE} or "
            f"more, the minimum cosine {_MIN_COSINE} or more, and the rank "
            f"correlation {_MIN_RANK_CORRELATION} or more; at most "
            f"{LOST_LABELS:.0%} of the labels may change. Export with "
            "precision='float32', or pass representative `texts`. Received: "
            f"{comparison}."
        )


def compare(task, quantized, expected):
    """Compare the outputs of an int8 model with the float32 outputs.

    Args:
        task: the exported `Task`.
        quantized, expected: int8 and float32 outputs, lists with a dict of
            arrays for each text.

    Returns:
        A `QuantizationComparison`.
    """
    vectors = [
        [_vector(task, x) for x in side] for side in (quantized, expected)
    ]
    if vectors[0][0] is not None:
        units = [np.stack([_unit(x) for x in side]) for side in vectors]
        # Both vectors of a text can be 0: static embeddings of unknown words.
        is_equal = np.all(units[0] == units[1], axis=-1)
        cosines = np.where(is_equal, 1.0, np.sum(units[0] * units[1], axis=-1))
        pairs = np.triu_indices(len(cosines), 1)
        return QuantizationComparison(
            len(quantized),
            mean_cosine=float(cosines.mean()),
            least_cosine=float(cosines.min()),
            rank_correlation=_rank_correlation(
                *[(side @ side.T)[pairs] for side in units]
            ),
        )
    logits = [
        [np.ravel(_labels(task, x)) for x in side]
        for side in (quantized, expected)
    ]
    first, second = map(np.concatenate, logits)
    if first.dtype.kind == "f":
        correlation = _rank_correlation(first, second)
        return QuantizationComparison(
            len(quantized), rank_correlation=correlation
        )
    num_equal = int(np.sum(first == second))
    return QuantizationComparison(len(quantized), len(first), num_equal)


def _vector(task, outputs):
    """Return the vector of a text, or None if the task returns no vector."""
    if "piece_ids" in outputs:  # A sparse embedding.
        vector, ids = np.zeros(task.dim, np.float32), outputs["piece_ids"][0]
        vector[ids[ids >= 0]] = outputs["weights"][0][ids >= 0]
        return vector
    for name in _VECTORS:
        if name in outputs:
            return outputs[name][0]
    for name in _STATES:
        if name in outputs:
            return outputs[name][0].mean(axis=0)
    return None


def _unit(vector):
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def _labels(task, outputs):
    """Return the predicted label indices of a text, or its scores."""
    if "start_logits" in outputs:
        sides = outputs["start_logits"], outputs["end_logits"]
        return np.stack([side.argmax(axis=-1) for side in sides])
    if "score" in task.outputs.names:
        return outputs.get("score", outputs.get("logits"))
    logits = outputs["logits"]
    is_multi = task.settings.get("multi_label")
    return logits > 0 if is_multi else logits.argmax(axis=-1)


def _rank_correlation(first, second):
    if len(first) < 3:
        return 1.0
    ranks = [np.argsort(np.argsort(x, kind="stable")) for x in (first, second)]
    return float(np.corrcoef(*ranks)[0, 1])
