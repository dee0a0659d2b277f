"""Cutting texts into byte-level BPE tokens."""
