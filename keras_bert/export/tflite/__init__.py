"""Export to TFLite files."""
