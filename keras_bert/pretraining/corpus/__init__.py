"""Text sources, tokenized corpora and vocabulary training."""
