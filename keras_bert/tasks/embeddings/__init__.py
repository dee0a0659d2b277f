"""Text embeddings: pooling, prompts, training, evaluation, files."""
