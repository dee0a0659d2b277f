"""Words, subwords, windows, tags and scores for token classification."""
