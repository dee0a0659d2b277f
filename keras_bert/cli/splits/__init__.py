"""Train, dev and test splits of labeled data."""
