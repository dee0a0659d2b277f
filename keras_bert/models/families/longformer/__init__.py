"""Longformer: RoBERTa with a sliding window and global tokens."""
