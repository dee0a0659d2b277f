"""Readers of labelled data sets."""
