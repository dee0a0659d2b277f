"""Models that take plain text, for servers and phones."""

from .onnx_directory import export_onnx as export_onnx
from .openvino_directory import export_openvino as export_openvino
from .saved_model import export_saved_model as export_saved_model
from .serving_files import write_serving_files as write_serving_files
from .tflite import export_tflite as export_tflite
