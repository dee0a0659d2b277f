"""Cutting texts into pieces of SentencePiece."""
