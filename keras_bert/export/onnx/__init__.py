"""Export to ONNX and OpenVINO."""
