"""ALBERT: BERT with shared blocks and factorized embeddings."""
