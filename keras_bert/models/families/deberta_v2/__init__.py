"""DeBERTa v2 and v3: disentangled attention with shared projections."""
