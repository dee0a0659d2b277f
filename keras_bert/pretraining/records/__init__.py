"""Encoding, parsing and validation of TFRecord files."""
