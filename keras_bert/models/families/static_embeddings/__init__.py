"""Static embeddings with one vector per word piece."""
