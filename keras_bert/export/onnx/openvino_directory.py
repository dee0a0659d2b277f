"""Export of models and tokenizers to OpenVINO directories."""

import dataclasses
import functools
import io
import typing

from absl import logging

from keras_bert.export.onnx.id_directory import check_id_export
from keras_bert.export.onnx.id_directory import write_id_directory
from keras_bert.export.onnx.onnx_graph import check_graph
from keras_bert.export.onnx.onnx_graph import graph_samples
from keras_bert.export.onnx.onnx_graph import onnx_model
from keras_bert.export.quantization_comparison import check_is_close
from keras_bert.export.quantization_comparison import compare
from keras_bert.export.samples import sample_columns
from keras_bert.lazy import import_package
from keras_bert.processor import processor_flags
from keras_bert.typing import Path

_FORMAT = "openvino"
_NAMES = "hugging_face"
_PRECISIONS = ("float32", "float16", "int8")
_NUM_CALIBRATED = 320
# Instruction sets with int8 products.
_INT8_FLAGS = {"amx_int8", "avx512_vnni", "avx_vnni"}


def export_openvino(
    task: typing.Any,
    directory: Path,
    overwrite: bool = False,
    packed: bool = False,
    precision: str = "float32",
    texts: list | None = None,
) -> None:
    """Export a task as an OpenVINO model of token ids with its tokenizer.

    The model, `openvino_model.xml` and `openvino_model.bin`, has the same
    inputs and outputs as in `export_onnx`, and the other files are the same
    too. An int8 model computes matrix products in int8, which is faster on
    processors with VNNI or AMX.

    Args:
        task: object of `keras_bert.tasks` that computes in float32, except
            `FillMask`.
        directory: directory to write, new or empty.
        overwrite: whether to replace the files of an earlier call. The
            old files are kept if the export fails.
        packed: whether the model skips padding, as in `export_onnx`.
        precision: "float32", "float16" for weights in float16, or "int8" for
            weights and activations in int8. An int8 model is compared with the
            float32 model before it is written.
        texts: about 320 typical examples in the format of `predict`. Required
            for "int8": the first 320 calibrate the activations, and all are
            used in the comparison.

    Raises:
        ValueError: the directory contains files that may not be replaced, the
            task cannot be exported, or the outputs of the int8 model differ
            too much.
    """
    check_id_export(
        task, directory, _FORMAT, precision, _PRECISIONS, texts, overwrite
    )
    if precision == "int8":
        _check_texts(task, texts)
        _warn_without_vnni()
        import_package("nncf", "precision='int8'")
    openvino = import_package("openvino", "export_openvino")
    # It selects a number of values only if the number is constant.
    task = task._with_fixed_sizes()
    graph = onnx_model(task, _NAMES, packed).SerializeToString()
    model, comparison = openvino.convert_model(io.BytesIO(graph)), None
    check_graph(task, _NAMES, functools.partial(_outputs, model))
    if precision == "int8":
        model, comparison = _quantized(task, model, texts)
        check_graph(task, _NAMES, functools.partial(_outputs, model), precision)
    write_id_directory(
        task,
        directory,
        lambda folder: openvino.save_model(
            model,
            folder / "openvino_model.xml",
            compress_to_fp16=precision == "float16",
        ),
        overwrite,
        _NAMES,
        format=_FORMAT,
        inputs=[tensor.any_name for tensor in model.inputs],
        outputs=[tensor.any_name for tensor in model.outputs],
        packed=bool(packed),
        precision=precision,
        comparison=comparison and dataclasses.asdict(comparison),
    )


def _check_texts(task, texts):
    if texts is None:
        raise ValueError(
            "`texts` must be about 320 representative texts to calibrate "
            "precision='int8' with. Received: texts=None."
        )
    sample_columns(task, texts)


def _warn_without_vnni():
    """Warn if int8 is known to be slow on this processor."""
    flags = processor_flags()
    if flags and not flags & _INT8_FLAGS:
        logging.warning(
            "The model is exported in int8. On a processor without VNNI or "
            "AMX, such as this one, OpenVINO is not faster in int8 than in "
            "float32. Call export_onnx with precision='int8', unless the "
            "model runs on other machines."
        )


def _quantized(task, model, texts):
    """Quantize weights and activations of an `openvino.Model` to int8.

    Returns:
        The quantized `openvino.Model` and a `QuantizationComparison`.
    """
    nncf = import_package("nncf", "precision='int8'")
    samples = graph_samples(task, texts, _NAMES)
    small = nncf.quantize(
        model,
        nncf.Dataset([_used(model, sample) for sample in samples]),
        model_type=nncf.ModelType.TRANSFORMER,
        subset_size=_NUM_CALIBRATED,
    )
    comparison = compare(
        task, _outputs(small, samples), _outputs(model, samples)
    )
    check_is_close(comparison)
    return small, comparison


def _outputs(model, samples):
    """Run a model and return a dict of output arrays for each sample."""
    openvino = import_package("openvino", "export_openvino")
    # Some processors compute in bfloat16 by default.
    compiled = openvino.compile_model(
        model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    return [
        {
            key.any_name: values.copy()
            for key, values in compiled(_used(model, sample)).items()
        }
        for sample in samples
    ]


def _used(model, sample):
    """Return the arrays that a model uses; OpenVINO removes other inputs.

    Static embeddings do not use the mask.
    """
    return {tensor.any_name: sample[tensor.any_name] for tensor in model.inputs}
