"""Predict or embed all rows of a file."""
