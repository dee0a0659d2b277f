"""Byte-level BPE tokenizer."""
