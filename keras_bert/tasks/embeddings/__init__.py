"""Pooling, prompts, training, evaluation and files for text embeddings."""
