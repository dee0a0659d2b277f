"""Reports on the answers of a fine-tuned model."""
