"""Models that take plain text, for servers and phones."""

from keras_bert import lazy

_MEMBERS = {
    "export_onnx": "onnx_directory",
    "export_saved_model": "saved_model",
    "export_tflite": "tflite",
    "write_serving_files": "serving_files",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
