"""GPT-1: BERT's blocks with causal attention."""
