"""Questions to spans of a text: windows, labels, decoding, scores."""
