"""ALBERT, wired from layers: BERT with shared blocks and narrow tables."""
