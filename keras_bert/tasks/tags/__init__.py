"""Token classification: words and subwords, windows, tags, entity scores."""
