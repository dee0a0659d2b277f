"""RoBERTa: BERT with byte-level BPE and positions after the padding id."""
