"""Models that take plain text, for servers and phones."""

from keras_bert.export.saved_model import export_saved_model
from keras_bert.export.tflite import export_tflite

__all__ = ["export_saved_model", "export_tflite"]
