"""Statistics and examples of record files."""
