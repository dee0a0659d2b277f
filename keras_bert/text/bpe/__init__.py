"""Character-level BPE tokenizer of GPT-1."""
