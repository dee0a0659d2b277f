"""SentencePiece tokenizer."""
