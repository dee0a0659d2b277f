"""Train, dev and test splits of labelled data."""
