"""Labelled data as train, dev and test splits."""
