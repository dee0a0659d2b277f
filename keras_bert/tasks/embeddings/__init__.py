"""Vectors of texts, their training and their scores."""
