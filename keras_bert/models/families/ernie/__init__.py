"""ERNIE: BERT with an optional table of task types."""
