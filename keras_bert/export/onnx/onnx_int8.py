"""Quantization of ONNX files to int8."""

import logging
import tempfile

import onnx

from keras_bert.export.onnx.onnx_graph import graph_samples
from keras_bert.export.onnx.onnx_graph import run_onnx
from keras_bert.export.quantization_comparison import check_is_close
from keras_bert.export.quantization_comparison import compare


def quantized(task, model, names, texts):
    """Quantize the weights of an `onnx.ModelProto` to int8.

    Activations are quantized at run time. The embedding tables are quantized
    too, unless the outputs would differ too much.

    Returns:
        The quantized `onnx.ModelProto` and a `QuantizationComparison`.

    Raises:
        ValueError: the outputs differ too much.
    """
    samples = graph_samples(task, texts, names)
    expected = run_onnx(model, samples)
    for op_types in (("MatMul", "Gemm", "Gather"), ("MatMul", "Gemm")):
        small = _quantized(model, op_types)
        comparison = compare(task, run_onnx(small, samples), expected)
        if comparison.is_close:
            break
    check_is_close(comparison)
    return small, comparison


def _quantized(model, op_types):
    from onnxruntime.quantization import QuantType
    from onnxruntime.quantization import quantize_dynamic

    # Quantize only nodes with constant weights. ONNX Runtime has no kernel for
    # arrays of more axes, as XLNet's segment encodings of all heads.
    weights = {
        x.name
        for x in model.graph.initializer
        if x.data_type == onnx.TensorProto.FLOAT and len(x.dims) == 2
    }
    nodes = [
        node.name
        for node in model.graph.node
        if node.op_type in op_types and weights & {*node.input}
    ]
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.ERROR)  # Suppress advice to optimize the graph.
        try:
            quantize_dynamic(
                model,
                file.name,
                op_types_to_quantize=list(op_types),
                per_channel=True,
                # Without VNNI, the sum of two full-range products overflows.
                reduce_range=True,
                weight_type=QuantType.QInt8,
                nodes_to_quantize=nodes,
            )
        finally:
            root.setLevel(level)
        return onnx.load(file.name)
