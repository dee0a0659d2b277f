"""Directories as others and we lay them out."""
