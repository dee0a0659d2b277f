"""RoBERTa, wired from layers: BERT whose positions skip padding."""
