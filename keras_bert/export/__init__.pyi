"""Models that take plain text, for servers and phones."""

from .onnx.onnx_directory import export_onnx as export_onnx
from .onnx.openvino_directory import export_openvino as export_openvino
from .saved_model.saved_model import export_saved_model as export_saved_model
from .saved_model.serving_files import (
    write_serving_files as write_serving_files,
)
from .tflite.tflite import export_tflite as export_tflite
