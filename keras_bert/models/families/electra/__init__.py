"""ELECTRA: BERT pre-trained by replaced token detection."""
