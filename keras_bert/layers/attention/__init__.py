"""Self-attention layers and functions that attend."""
