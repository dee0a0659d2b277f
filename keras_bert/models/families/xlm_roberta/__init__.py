"""XLM-RoBERTa: multilingual RoBERTa with a SentencePiece tokenizer."""
