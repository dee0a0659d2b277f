"""Arrays to TFRecord files and back."""
