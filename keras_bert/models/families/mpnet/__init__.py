"""MPNet: RoBERTa with a relative position bias."""
