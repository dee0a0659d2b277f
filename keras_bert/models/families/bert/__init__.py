"""BERT: encoder, pre-training heads and family definition."""
