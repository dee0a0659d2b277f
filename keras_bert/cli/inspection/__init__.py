"""Statistics and examples from record files."""
