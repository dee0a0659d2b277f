"""Text on disk to a tokenized corpus on disk."""
