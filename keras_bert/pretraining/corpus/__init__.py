"""Text sources, tokenized corpora and the training of vocabularies."""
