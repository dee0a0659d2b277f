"""BigBird: BERT with block-sparse attention for long texts."""
