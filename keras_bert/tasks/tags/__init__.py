"""Words to tags: schemes, pieces of words, windows, scores."""
