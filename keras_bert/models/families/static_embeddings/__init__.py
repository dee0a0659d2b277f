"""Static embeddings: one vector per word piece."""
