"""Creation of pre-training records from text, with several processes."""
