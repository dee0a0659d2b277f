"""Creation of pre-training records from text in several processes."""
