"""Labelled files to the examples of a task."""
