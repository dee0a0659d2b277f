"""Windows, span labels, decoding and scores for question answering."""
