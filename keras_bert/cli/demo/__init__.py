"""Demo: train a BERT on local documentation, export and serve it."""
