"""DeBERTa v2 and v3: one matrix for tokens and their distances."""
