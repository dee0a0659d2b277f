"""One folder per family of models."""
