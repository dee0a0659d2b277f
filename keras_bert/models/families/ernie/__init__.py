"""ERNIE: BERT with optional task-type embeddings."""
