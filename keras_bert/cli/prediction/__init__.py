"""Predictions and embeddings for all rows of a file."""
