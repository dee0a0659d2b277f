"""BPE tokenizers: byte level (RoBERTa) and character level (GPT-1)."""
