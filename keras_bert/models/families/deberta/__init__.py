"""DeBERTa v1: disentangled attention with a table of relative positions."""
