"""Demo that trains a BERT on local documentation and exports it."""
