"""RoBERTa: BERT with byte-level BPE; positions start after the padding id."""
