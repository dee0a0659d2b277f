"""Predictions and embeddings for whole files."""
