"""XLM-RoBERTa: RoBERTa of a hundred languages, with SentencePiece."""
