"""Cutting texts into BPE tokens of characters, as GPT-1 does."""
