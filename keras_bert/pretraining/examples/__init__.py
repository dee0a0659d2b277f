"""Creation of pre-training examples from a tokenized corpus."""
