"""Flags for programs that create training data."""
