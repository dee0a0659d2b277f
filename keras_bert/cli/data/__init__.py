"""Flags of the programs that create training data."""
