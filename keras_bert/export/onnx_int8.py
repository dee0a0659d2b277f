"""Quantization of ONNX files to int8, and comparison with float32."""

import dataclasses
import logging
import tempfile

import numpy as np
import onnx

from keras_bert.export.onnx_graph import graph_name
from keras_bert.export.tflite_comparison import LOST_LABELS
from keras_bert.export.tflite_comparison import keeps_labels
from keras_bert.export.tflite_samples import id_samples
from keras_bert.export.tflite_samples import sample_columns

_MIN_MEAN_COSINE, _MIN_COSINE, _MIN_RANK_CORRELATION = 0.985, 0.95, 0.99
_VECTORS = ("sentence_embedding", "embedding")
_STATES = ("last_hidden_state", "sequence_output")


@dataclasses.dataclass(frozen=True)
class QuantizationComparison:
    """Results of comparing an int8 file with its float32 file.

    Args:
        num_texts: int.
        num_labels: int, number of labels: of texts, tokens or positions.
        num_equal_labels: int.
        mean_cosine: float, of the vectors of a text.
        least_cosine: float.
        rank_correlation: float, Spearman's, of the similarities of all pairs
            of texts, or of the scores of a regressor.
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


def check_onnxruntime():
    """Raise ModuleNotFoundError if ONNX Runtime is not installed."""
    try:
        import onnxruntime  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "precision='int8' quantizes with the package onnxruntime: "
            "pip install onnxruntime."
        ) from error


def quantized(task, model, names, texts):
    """Quantize the weights of an `onnx.ModelProto` to int8.

    Activations are quantized at run time. The embedding tables are quantized
    too, unless the outputs would differ too much.

    Returns:
        The quantized `onnx.ModelProto` and a `QuantizationComparison`.

    Raises:
        ValueError: the outputs differ too much.
    """
    samples = [
        {graph_name(name, names): x for name, x in sample.items()}
        for sample in id_samples(task, sample_columns(task, texts))
    ]
    expected = _outputs(model, samples)
    for op_types in (("MatMul", "Gemm", "Gather"), ("MatMul", "Gemm")):
        small = _quantized(model, op_types)
        found = compare(task, _outputs(small, samples), expected)
        if found.is_close:
            return small, found
    raise ValueError(
        "An int8 file must have a mean cosine of "
        f"{_MIN_MEAN_COSINE}, a least cosine of {_MIN_COSINE}, a rank "
        f"correlation of {_MIN_RANK_CORRELATION} and at most "
        f"{LOST_LABELS:.0%} other labels. Export with precision='float32', or "
        f"pass `texts` like those in use. Received: {found}."
    )


def _quantized(model, op_types):
    from onnxruntime.quantization import QuantType
    from onnxruntime.quantization import quantize_dynamic

    weights = {x.name for x in model.graph.initializer if x.data_type == 1}
    # The values of other nodes are not known before run time.
    nodes = [
        node.name
        for node in model.graph.node
        if node.op_type in op_types and weights & {*node.input}
    ]
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.ERROR)  # It advises to optimize the graph first.
        try:
            quantize_dynamic(
                model,
                file.name,
                op_types_to_quantize=list(op_types),
                per_channel=True,
                # Without VNNI, sums of two products of full range overflow.
                reduce_range=True,
                weight_type=QuantType.QInt8,
                nodes_to_quantize=nodes,
            )
        finally:
            root.setLevel(level)
        return onnx.load(file.name)


def _outputs(model, samples):
    """Run a model on samples; return a list of dicts of arrays."""
    import onnxruntime

    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    dtypes = {
        x.name: np.dtype(x.type.removeprefix("tensor(")[:-1])
        for x in session.get_inputs()
    }
    names = [output.name for output in session.get_outputs()]
    return [
        dict(
            zip(
                names,
                session.run(
                    None, {n: sample[n].astype(t) for n, t in dtypes.items()}
                ),
                strict=True,
            )
        )
        for sample in samples
    ]


def compare(task, found, expected):
    """Compare the outputs of two files for samples of one text.

    Args:
        task: the exported `Task`.
        found, expected: lists of dicts of arrays.

    Returns:
        `QuantizationComparison`.
    """
    vectors = [[_vector(x) for x in side] for side in (found, expected)]
    if vectors[0][0] is not None:
        units = [np.stack([_unit(x) for x in side]) for side in vectors]
        cosines = np.sum(units[0] * units[1], axis=-1)
        pairs = np.triu_indices(len(cosines), 1)
        return QuantizationComparison(
            len(found),
            mean_cosine=float(cosines.mean()),
            least_cosine=float(cosines.min()),
            rank_correlation=_rank_correlation(
                *[(side @ side.T)[pairs] for side in units]
            ),
        )
    logits = [
        [np.ravel(_labels(task, x)) for x in side] for side in (found, expected)
    ]
    first, second = map(np.concatenate, logits)
    if first.dtype.kind == "f":
        correlation = _rank_correlation(first, second)
        return QuantizationComparison(len(found), rank_correlation=correlation)
    num_equal = int(np.sum(first == second))
    return QuantizationComparison(len(found), len(first), num_equal)


def _vector(outputs):
    """Return the vector of a text, or None if the task has none."""
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
    """Return the indices of the labels of a text, or its scores."""
    if "start_logits" in outputs:
        sides = outputs["start_logits"], outputs["end_logits"]
        return np.stack([side.argmax(axis=-1) for side in sides])
    if "score" in outputs or type(task).__name__ == "TextRegressor":
        return outputs.get("score", outputs.get("logits"))
    logits = outputs["logits"]
    is_multi = task.settings.get("multi_label")
    return logits > 0 if is_multi else logits.argmax(axis=-1)


def _rank_correlation(first, second):
    if len(first) < 3:
        return 1.0
    ranks = [np.argsort(np.argsort(x, kind="stable")) for x in (first, second)]
    return float(np.corrcoef(*ranks)[0, 1])
