"""Extractive question answering: windows, span labels, decoding, scores."""
