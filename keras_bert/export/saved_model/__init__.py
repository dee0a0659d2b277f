"""Export to SavedModels for TensorFlow Serving."""
