"""WordPiece tokenizer."""
