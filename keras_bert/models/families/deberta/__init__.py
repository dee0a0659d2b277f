"""DeBERTa v1: disentangled attention with separate position projections."""
