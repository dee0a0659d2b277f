"""Unicode normalization of texts before tokenization."""
